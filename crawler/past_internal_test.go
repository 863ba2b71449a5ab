package crawler

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// The text of a past is what encoding/json makes of it, which earlier versions have written, and reads back as it was.
func FuzzPast_state(f *testing.F) {
	f.Add(`"1.0"`, "Mon, 02 Jan 2006 15:04:05 GMT", "0123abcd", 200, true, int64(1), int64(0), int64(3600), 3)
	f.Add(`W/"a\b"`, "", "", 0, false, int64(0), int64(-5), int64(0), 0)
	f.Add("<&>\x00\xff\u2028é", "\"", "\\", -1, true, int64(1)<<62, int64(-1)<<62, int64(999999999999999999), 1<<30)
	f.Fuzz(func(t *testing.T, etag, modified, digest string, code int, page bool, last, changed, every int64, visits int) {
		p := Past{
			ETag: etag, Modified: modified, Digest: digest, Code: code, Page: page, Last: last, Changed: changed, Every: every,
			Visits: visits, Changes: code, Gone: visits, Since: changed, Untrue: code,
		}
		p.Made, p.Cut, p.Refused, p.Noindex = Made(visits), every, !page, digest
		want, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.state(); string(got) != string(want) {
			t.Errorf("state: %s, want %s", got, want)
		}
		var same Past
		if err := json.Unmarshal(want, &same); err != nil {
			t.Fatal(err)
		}
		if got, ok := ReadPast(want); !ok || got != same {
			t.Errorf("ReadPast(%s): %+v, %t, want %+v", want, got, ok, same)
		}
	})
}

// Whatever stands for a past is read as encoding/json reads it.
func FuzzPast_read(f *testing.F) {
	for _, text := range []string{
		`{"last":1,"every":2,"visits":3}`, `{}`, `{"last":01}`, `{"last":-0}`, `{"last":-}`, `{"last":1.5}`, `{"last":1e3}`, `{"page":false}`,
		`{"etag":"a\u0041"}`, `{"etag":"a` + "\x80" + `"}`, `{"etag":"\""}`, `{"etag":null}`, `{"LAST":7}`, `{"last":1} `, `{"last":1}}`,
		`{"last":1,}`, `{"new":[1],"last":5}`, `{"visits":99999999999}`, `{"last":1234567890123456789}`, `[]`, ``, `{"last":1,"last":2}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want Past
		wantOK := len(text) > 0 && json.Unmarshal(text, &want) == nil
		if !wantOK {
			want = Past{}
		}
		if got, ok := ReadPast(text); ok != wantOK || got != want {
			t.Errorf("ReadPast(%s): %+v, %t, want %+v, %t", text, got, ok, want, wantOK)
		}
	})
}

func TestUnmarkedToo(t *testing.T) {
	for etag, want := range map[string]string{
		`"2b1b-6540-gzip"`: `"2b1b-6540-gzip", "2b1b-6540"`,
		`"2b1b-6540-br"`:   `"2b1b-6540-br", "2b1b-6540"`,
		`W/"2b1b-gzip"`:    `W/"2b1b-gzip", W/"2b1b"`,
		`"2b1b"`:           `"2b1b"`,
		`2b1b-gzip`:        `2b1b-gzip`,
		`"`:                `"`,
		"":                 "",
	} {
		if got := unmarkedToo(etag); got != want {
			t.Errorf("unmarkedToo(%s) = %s, want %s", etag, got, want)
		}
	}
}

// An ETag may be as long with the mark of a compression as without.
func TestKnownTags_Long(t *testing.T) {
	long := strings.Repeat("e", 128) // a SHA-512 in hexadecimal
	for etag, want := range map[string]string{
		`"` + long + `"`:                              `"` + long + `"`,
		`"` + long + `-gzip"`:                         `"` + long + `-gzip", "` + long + `"`,
		`"` + strings.Repeat("e", maxValidator) + `"`: "",
	} {
		if got := knownTags(http.Header{"Etag": {etag}}); got != want {
			t.Errorf("knownTags(%s) = %s, want %s", etag, got, want)
		}
	}
}

func BenchmarkPast(b *testing.B) {
	p := Past{ETag: `"5e1f-abc"`, Modified: "Mon, 02 Jan 2006 15:04:05 GMT", Digest: "0123456789abcdef0123456789abcdef", Code: 200, Page: true,
		Last: 1795419000, Every: 86400, Visits: 3}
	for b.Loop() {
		var ok bool
		if p, ok = ReadPast(p.state()); !ok {
			b.Fatal("not read")
		}
	}
}

// Ensure that what the archive has lost is asked for whole by whoever archives, and that the rest is remembered.
func TestUnarchived(t *testing.T) {
	p := Past{ETag: `"1"`, Digest: "00", Code: 200, Page: true, Made: MadeArchive | MadeRequisites, Last: 1, Every: 2, Visits: 3}
	got, ok := ReadPast(Unarchived(p.state()))
	if p.Made = MadeRequisites; !ok || got != p {
		t.Errorf("%+v, want %+v", got, p)
	}
	if got := Unarchived(nil); got != nil {
		t.Errorf("of nothing it makes %q", got)
	}
}
