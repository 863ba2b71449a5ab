package warc_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/cybermapper/cybermapper/storage/warc"
)

// request returns a request record.
func request(method, url, contentType, body string) string {
	message := method + " /x HTTP/1.1\r\nHost: e.org\r\nContent-Type: " + contentType + "\r\n\r\n" + body
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: request\r\nWARC-Target-URI: %s\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n"+
		"Content-Type: application/http;msgtype=request\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", url, len(message), message)
}

// indexed returns what an Indexer finds in a file.
func indexed(t *testing.T, file string, skim bool) (found []warc.Capture) {
	t.Helper()
	r, err := warc.NewReader("x.warc", bytes.NewReader([]byte(file)), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if skim {
		r.Skim()
	}
	x := warc.Indexer{Found: func(c *warc.Capture) error { found = append(found, *c); return nil }}
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = x.Add(rec, "x.warc")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Flush(); err != nil {
		t.Fatal(err)
	}
	return found
}

// The keys are those that warcio.js 2.4 gives the same requests.
func TestIndexer_Posted(t *testing.T) {
	const form, object = "application/x-www-form-urlencoded", "application/json"
	for _, tt := range []struct{ method, url, contentType, body, key, posted string }{
		{"GET", "http://e.org/a?x=1", "", "", "org,e)/a?x=1", ""},
		{"POST", "http://e.org/a", form, "b=2&a=1", "org,e)/a?__wb_method=post&a=1&b=2", "b=2&a=1"},
		{"POST", "http://e.org/a?z=9&B=x", form, "Q=Caf%C3%A9+x&p=%26%3d",
			"org,e)/a?__wb_method=post&b=x&p=%26%3d&q=caf%C3%A9+x&z=9", "Q=Caf%C3%A9+x&p=%26%3d"},
		{"POST", "http://e.org/j", object, `{"b":{"c":1.50,"d":[1,2,{"c":"x y"}],"e":null,"f":true,"g":"","h":"\u00e9<>'*~"},"a":"z"}`,
			"org,e)/j?__wb_method=post&a=z&c.2_=x+y&c=1.5&d.2_=2&d=1&e=null&f=true&h=%C3%A9%3C%3E%27*~",
			"c=1.5&d=1&d.2_=2&c.2_=x+y&e=null&f=true&h=%C3%A9%3C%3E%27*%7E&a=z"},
		{"POST", "http://e.org/j", object, "not json", "org,e)/j?&__wb_method=post", ""},
		{"POST", "http://e.org/j", object, `[1,"two",[3]]`, "org,e)/j?.2_=two&.3_=3&=1&__wb_method=post", "=1&.2_=two&.3_=3"},
		{"POST", "http://e.org/j", object, `{"big":1e30,"small":1e-7,"n":123456789012345680000,"neg":-0.5,"nz":-0}`,
			"org,e)/j?__wb_method=post&big=1e%2b30&n=123456789012345680000&neg=-0.5&nz=0&small=1e-7",
			"big=1e%2B30&small=1e-7&n=123456789012345680000&neg=-0.5&nz=0"},
		{"POST", "http://e.org/t", "text/plain;charset=UTF-8", `{"k":"v"}`, "org,e)/t?__wb_method=post&k=v", "k=v"},
		{"POST", "http://e.org/none", "", "raw", "org,e)/none?__wb_method=post&__wb_post_data=cmf3", "__wb_post_data=cmF3"},
		{"PUT", "http://e.org/put", object, `{"k":1}`, "org,e)/put?__wb_method=put&k=1", "k=1"},
		{"POST", "http://e.org/m", "multipart/form-data; boundary=--B",
			"----B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nval ue\r\n----B\r\nContent-Disposition: form-data; name=\"f\"; " +
				"filename=\"x\"\r\nContent-Type: text/plain\r\n\r\nfile\r\n----B--\r\n", "org,e)/m?__wb_method=post&a=val+ue", "a=val+ue"},
		{"POST", "http://e.org/q", form, "a=%zz", "org,e)/q?&__wb_method=post", "a=%zz"},
		{"POST", "http://e.org/q", form, "a b=\"<>'é#frag", "org,e)/q?__wb_method=post&a%20b=%22%3C%3E%27%C3%A9", "a b=\"<>'é#frag"},
	} {
		asked, answer := request(tt.method, tt.url, tt.contentType, tt.body), response(tt.url, "hi", "")
		for _, file := range []string{asked + answer, answer + asked} {
			for _, skim := range []bool{false, true} {
				found := indexed(t, file+response("http://e.org/next", "n", ""), skim)
				if len(found) != 2 || found[1].Key != "org,e)/next" || found[1].Method != "" {
					t.Fatalf("%s: found %+v", tt.body, found)
				}
				if c := found[0]; c.PlayerKey() != tt.key || c.Posted != tt.posted || c.URL != tt.url || (c.Method == "") != (tt.method == "GET") {
					t.Errorf("%s: key %s, %s %q; want %s, %q", tt.body, c.PlayerKey(), c.Method, c.Posted, tt.key, tt.posted)
				}
				if again, err := warc.ParseCapture(found[0].AppendTo(nil)); err != nil || again.Posted != tt.posted || again.Method != found[0].Method {
					t.Errorf("%s: read back as %+v, %v", tt.body, again, err)
				}
			}
		}
	}
}

// The keys in an index are those under which pywb 2.9 looks for the answers to the same requests.
func TestIndexer_PostedInPywb(t *testing.T) {
	const form, object = "application/x-www-form-urlencoded", "application/json"
	for _, tt := range []struct{ method, url, contentType, body, key string }{
		{"POST", "http://e.org/a", form, "b=2&a=1", "org,e)/a?__wb_method=post&a=1&b=2"},
		{"POST", "http://e.org/a?z=9&B=x", form, "Q=Caf%C3%A9+x&p=%26%3d", "org,e)/a?=&__wb_method=post&b=x&p=&q=caf%c3%a9%20x&z=9"},
		{"POST", "http://e.org/j", object, `{"b":{"c":1.50,"d":[1,2,{"c":"x y"}],"e":null,"f":true,"g":"","h":"\u00e9<>'*~"},"a":"z"}`,
			"org,e)/j?__wb_method=post&a=z&c=1.5&c.2_=x+y&d=1&d.2_=2&e=null&f=true&g=&h=%c3%a9<>'*~"},
		{"POST", "http://e.org/j", object, "not json", "org,e)/j?__wb_method=post"},
		{"POST", "http://e.org/j", object, `[1,"two",[3]]`, "org,e)/j?__wb_method=post"},
		{"POST", "http://e.org/t", "text/plain", "raw", "org,e)/t?__wb_method=post&__wb_post_data=cmf3"},
		{"POST", "http://e.org/dir/", form, "a=%zz", "org,e)/dir?__wb_method=post&a=%25zz"},
		{"DELETE", "http://e.org/dir/", object, `{"k":1}`, "org,e)/dir?__wb_method=delete"},
		{"HTTP/1.1", "http://e.org/dir/", "", "", "org,e)/dir"}, // an answer that is called a request
	} {
		asked, answer := request(tt.method, tt.url, tt.contentType, tt.body), response(tt.url, "hi", "")
		if found := indexed(t, asked+answer, false); len(found) != 1 || found[0].Key != tt.key {
			t.Errorf("%s: found %+v, want the key %s", tt.body, found, tt.key)
		}
	}
}

// A request makes no other answer its own than the one beside it.
func TestIndexer_PostedElsewhere(t *testing.T) {
	post := request("POST", "http://e.org/a", "application/json", `{"k":1}`)
	file := response("http://e.org/a", "1", "") + response("http://e.org/b", "2", "") + post + response("http://e.org/b", "3", "") +
		response("http://e.org/a", "4", "") + post
	var keys []string
	for _, c := range indexed(t, file, false) {
		keys = append(keys, c.Key)
	}
	want := []string{"org,e)/a", "org,e)/b", "org,e)/b", "org,e)/a?__wb_method=post&k=1"}
	if !slices.Equal(keys, want) {
		t.Errorf("keys %q, want %q", keys, want)
	}
}
