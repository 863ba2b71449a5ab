package accesslog_test

import (
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// TestTomcat: what Tomcat's valves write is read: the draft of the W3C with strings in quotes, JSON with the client as host, and
// bytes as \uHHHH. So is the JSON of pino-http.
func TestTomcat(t *testing.T) {
	const agent = `Äbot/1 "q" +x`
	for name, log := range map[string]string{
		"W3C": "#Fields: date time c-ip cs-method cs-uri sc-status bytes time-taken cs(User-Agent) cs(Referer) cs(Host)\n#Version: 2.0\n" +
			"#Software: Apache Tomcat/10.1.60 (Debian)\n" +
			`2026-03-01 12:00:00 192.0.2.7 GET /a?b=c 404 766 2 "Äbot/1 ""q"" +x" "http://e.example/x y" "E.example"`,
		"JSON, common": `{"host":"192.0.2.7","logicalUserName":"-","user":"-","time":"[01/Mar/2026:12:00:00 +0000]","request":"GET /a?b=c HTTP/1.1",` +
			`"statusCode":"404","size":"766","requestHeaders": {"Referer":"http://e.example/x y","User-Agent":"Äbot/1 \"q\" +x"}}`,
		"JSON": `{"host":"192.0.2.7","time":"[01/Mar/2026:12:00:00 +0000]","method":"GET","path":"/a","query":"?b=c","statusCode":"404",` +
			`"byteSentNC":"766","localServerName":"E.example","requestHeaders": {"Referer":"http://e.example/x y","User-Agent":"Äbot/1 \"q\" +x"}}`,
		"combined": `192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /a?b=c HTTP/1.1" 404 766 "http://e.example/x y" ` +
			`"\u00c3\u0084bot/1 \"q\" +x"`,
		"pino": `{"level":30,"time":1772366400000,"pid":1,"hostname":"vm","req":{"id":1,"method":"GET","url":"/a?b=c","headers":{"host":"E.example",` +
			`"referer":"http://e.example/x y","user-agent":"Äbot/1 \"q\" +x"},"remoteAddress":"::ffff:192.0.2.7","remotePort":6},` +
			`"res":{"statusCode":404,"headers":{"content-length":766}},"responseTime":26,"msg":"request completed"}`,
	} {
		r := accesslog.NewReader(strings.NewReader(log+"\n"), accesslog.Auto)
		if !r.Next() {
			t.Errorf("%s: %+v", name, r.Tally())
			continue
		}
		e := r.Entry()
		if string(e.Client) != "192.0.2.7" || string(e.Target) != "/a?b=c" || e.Status != 404 || string(e.Agent) != agent || e.Time.Unix() != 1772366400 ||
			string(e.Referrer) != "http://e.example/x y" || e.Bytes != 766 && name != "pino" {
			t.Errorf("%s: %+v, %s from %s, %q, %q", name, e, e.Target, e.Client, e.Agent, e.Referrer)
		}
		if hasHost := strings.Contains(log, `"E.example"`); hasHost != (string(e.Host) == "e.example") && name != "pino" {
			t.Errorf("%s: host %q", name, e.Host)
		}
		if name == "W3C" && e.Taken.Seconds() != 2 {
			t.Errorf("%s: it took %v", name, e.Taken)
		}
	}
}

// TestIIS_Quotes: IIS has no strings in quotes: those that a visitor sends are a part of its name, and a time is in milliseconds.
func TestIIS_Quotes(t *testing.T) {
	log := "#Software: Microsoft Internet Information Services 10.0\n#Fields: date time c-ip cs-method cs-uri-stem sc-status time-taken cs(User-Agent)\n" +
		`2026-03-01 12:00:00 192.0.2.7 GET /a 200 2000 "Bot/1+"` + "\n"
	r := accesslog.NewReader(strings.NewReader(log), accesslog.Auto)
	if !r.Next() || string(r.Entry().Agent) != `"Bot/1 "` || r.Entry().Taken.Seconds() != 2 {
		t.Errorf("%+v, agent %q, %v", r.Tally(), r.Entry().Agent, r.Entry().Taken)
	}
}

// TestImperva: the strings of its log are in quotes, all of them, and its URLs have no scheme. That makes no host of a path, nor
// of what a visitor sends where the host is known.
func TestImperva(t *testing.T) {
	for _, c := range []struct{ fields, uri, host, want string }{
		{"", "WWW.e.example/a/b", "", "www.e.example /a/b?c=d"}, {"", "e.example:8080/", "", "e.example:8080 /?c=d"}, {"", "/a/b", "", " /a/b?c=d"},
		{" cs(Host)", "other.example/a", ` "e.example"`, "e.example other.example/a?c=d"}, {"", "private/a", "", " private/a?c=d"},
	} {
		r := accesslog.NewReader(strings.NewReader("#Software: Incapsula LOGS API\n#Fields: date time c-ip cs(User-Agent) cs-uri cs-method "+
			"cs-uri-query sc-status"+c.fields+"\n"+`"2026-03-01" "12:00:00" "192.0.2.7" "Bot/1 x" "`+c.uri+`" "GET" "c=d" "200"`+c.host+"\n"), accesslog.Auto)
		if !r.Next() {
			t.Errorf("%s: %+v", c.uri, r.Tally())
			continue
		}
		if e := r.Entry(); string(e.Host)+" "+string(e.Target) != c.want || string(e.Agent) != "Bot/1 x" {
			t.Errorf("%s: %s %s by %s, want %s", c.uri, e.Host, e.Target, e.Agent, c.want)
		}
	}
}
