package extract_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"golang.org/x/net/html/charset"

	"github.com/cybermapper/cybermapper/crawler/extract"
)

func encoded(t *testing.T, e interface{ String(string) (string, error) }, s string) string {
	t.Helper()
	s, err := e.String(s)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPage_Charset(t *testing.T) {
	russian := encoded(t, charmap.Windows1251.NewEncoder(), "<title>Привет</title>")
	koi := encoded(t, charmap.KOI8R.NewEncoder(), "<title>Привет</title>")
	utf16 := encoded(t, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder(), "<title>Привет</title>")
	jis := encoded(t, japanese.ISO2022JP.NewEncoder(), "<title>日本</title>")
	const utf8 = "<title>Привет</title>"
	late := strings.Repeat(" ", 1024)
	tests := []struct {
		name, param, body      string
		charset, source, title string
		note                   string
	}{
		{"header", "windows-1251", russian, "windows-1251", extract.SourceHeader, "Привет", ""},
		{"header in other words", ` "CP1251"`, russian, "windows-1251", extract.SourceHeader, "Привет", ""},
		{"header before meta", "koi8-r", "<meta charset=utf-8>" + koi, "koi8-r", extract.SourceHeader, "Привет", ""},
		{"mark before header", "windows-1251", "\xef\xbb\xbf" + utf8, "utf-8", extract.SourceBOM, "Привет", ""},
		{"UTF-16 mark", "", "\xfe\xff" + utf16, "utf-16be", extract.SourceBOM, "Привет", ""},
		{"UTF-16 by header", "utf-16be", utf16, "utf-16be", extract.SourceHeader, "Привет", ""},
		{"unknown in header", "klingon", "<meta charset=utf-8>" + utf8, "utf-8", extract.SourceMeta, "Привет", extract.NoteCharset},
		{"meta", "", "<META CharSet=' windows-1251 '>" + russian, "windows-1251", extract.SourceMeta, "Привет", ""},
		{"meta with content", "", `<meta content="text/html; CHARSET = 'koi8-r'" http-equiv=Content-Type>` + koi, "koi8-r", extract.SourceMeta, "Привет", ""},
		{"meta without pragma", "", `<meta content="text/html; charset=koi8-r">` + utf8, "utf-8", extract.SourceUTF8, "Привет", ""},
		{"meta unknown, then known", "", "<meta charset=klingon><meta charset=koi8-r>" + koi, "koi8-r", extract.SourceMeta, "Привет", extract.NoteCharset},
		{"meta in a comment", "", "<!--<meta charset=koi8-r>-->" + utf8, "utf-8", extract.SourceUTF8, "Привет", ""},
		{"UTF-16 in meta means UTF-8", "", "<meta charset=utf-16le>" + utf8, "utf-8", extract.SourceMeta, "Привет", ""},
		{"x-user-defined in meta means windows-1252", "", "<meta charset=x-user-defined><title>\x80</title>", "windows-1252", extract.SourceMeta, "€", ""},
		{"meta too late", "", late + "<meta charset=koi8-r>" + utf8, "utf-8", extract.SourceUTF8, "Привет", ""},
		{"meta late in the head", "", "<script>" + late + "</script><meta charset=koi8-r>" + koi, "koi8-r", extract.SourceMeta, "Привет", ""},
		{"meta late, of seven bits", "", "<!--" + late + "--><meta charset=iso-2022-jp>" + jis, "iso-2022-jp", extract.SourceMeta, "日本", ""},
		{"meta late, behind a template", "", "<title>caf\xe9</title><template>" + late + "</template><meta charset=koi8-r>", "windows-1252", extract.SourceDefault, "café", ""},
		{"meta in the body", "", "<title>caf\xe9</title><body>" + late + "<meta charset=koi8-r>", "windows-1252", extract.SourceDefault, "café", ""},
		{"meta behind the head", "", "<title>caf\xe9</title></head>" + late + "<meta charset=koi8-r>", "windows-1252", extract.SourceDefault, "café", ""},
		{"XML declaration", "", `<?xml version="1.0" encoding="koi8-r"?>` + koi, "koi8-r", extract.SourceXML, "Привет", ""},
		{"UTF-8 undeclared", "", late + utf8, "utf-8", extract.SourceUTF8, "Привет", ""},
		{"UTF-8 undeclared and cut", "", utf8 + "\xd0", "utf-8", extract.SourceUTF8, "Привет", ""},
		{"undeclared", "", "<title>caf\xe9</title>", "windows-1252", extract.SourceDefault, "café", ""},
		{"Latin-1 is windows-1252", "iso-8859-1", "<title>\x80</title>", "windows-1252", extract.SourceHeader, "€", ""},
		{"ASCII", "", "<title>x</title>", "windows-1252", extract.SourceDefault, "x", ""},
		{"seven bits that are not ASCII, undeclared", "", jis, "iso-2022-jp", extract.SourceGuess, "日本", ""},
		{"such, cut short", "", jis + "\x1b$BF|K", "iso-2022-jp", extract.SourceGuess, "日本", ""},
		{"such, and other bytes", "", jis + "\xe9t\xe9.", "windows-1252", extract.SourceDefault, "\x1b$BF|K\\\x1b(B", ""},
		{"escapes of a terminal", "", "<title>x</title>\x1b[1mF|\x1b[0m", "windows-1252", extract.SourceDefault, "x", ""},
		{"an escape that ends nowhere", "", "<title>x</title>\x1b$B and more", "windows-1252", extract.SourceDefault, "x", ""},
		{"an escape for nothing", "", "<title>x</title>\x1b$B\x1b(B", "windows-1252", extract.SourceDefault, "x", ""},
		{"half a letter", "", "<title>x</title>\x1b$BF|K\x1b(B", "windows-1252", extract.SourceDefault, "x", ""},
		{"seven bits that are not ASCII", "iso-2022-jp", jis, "iso-2022-jp", extract.SourceHeader, "日本", ""},
		{"replacement is read all the same", "iso-2022-kr", "<title>x</title>", "replacement", extract.SourceHeader, "x", ""},
		{"not even UTF-8", "utf-8", "<title>a\xffb</title>", "utf-8", extract.SourceHeader, "a\ufffdb", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			contentType := "text/html"
			if test.param != "" {
				contentType += "; charset=" + test.param
			}
			page := readWith(t, extract.Options{}, extract.Input{Header: http.Header{"Content-Type": {contentType}}, Body: []byte(test.body)})
			if page.Charset != test.charset || page.CharsetSource != test.source || page.Title != test.title {
				t.Errorf("charset %q by %q, title %q, want %q by %q, title %q",
					page.Charset, page.CharsetSource, page.Title, test.charset, test.source, test.title)
			}
			if noted := slices.Contains(page.Notes, extract.NoteCharset); noted != (test.note != "") {
				t.Errorf("notes = %q", page.Notes)
			}
		})
	}
}

// TestPage_QueryCharset: the query of a link is in the page's charset, its path and fragment are not (URL standard, "query
// state").
func TestPage_QueryCharset(t *testing.T) {
	tests := []struct{ charset, href, want string }{
		{"windows-1251", "/п?q=п+x&б=1#п", "/п?q=%EF+x&%E1=1#п"},
		{"windows-1251", "/п#п?п", "/п#п?п"},
		{"windows-1251", "?q=&#8364;&#20013;", "?q=%88%26%2320013%3B"},
		{"windows-1252", "?&eacute;", "?%E9"},
		{"shift_jis", "?表", "?%95\\"},
		{"shift_jis", "?髙﨑ⅱ￤", "?%FB%FC%FA%B1%FAA%FAU"}, // of the codes that two makers gave, IBM's
		{"shift_jis", "?黑①ｱ", "?%FCK%87@%B1"},
		{"shift_jis", "?&yen;&oline;&minus;", "?\\~%81|"},
		{"euc-jp", "?&yen;&oline;&minus;", "?\\~%A1%DD"},
		{"euc-jp", "?日é", "?%C6%FC%26%23233%3B"}, // JIS X 0212 is read, not written
		{"big5", "?防嗰", "?%A8%BE%26%2322000%3B"}, // nor are the characters of Hong Kong
		{"utf-8", "?q=п", "?q=п"},
		{"utf-16le", "?q=п", "?q=п"},
	}
	encoders := map[string]interface{ String(string) (string, error) }{
		"windows-1251": charmap.Windows1251.NewEncoder(), "windows-1252": charmap.Windows1252.NewEncoder(), "utf-8": unicode.UTF8.NewEncoder(),
		"shift_jis": japanese.ShiftJIS.NewEncoder(), "euc-jp": japanese.EUCJP.NewEncoder(), "big5": traditionalchinese.Big5.NewEncoder(),
		"utf-16le": unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder(),
	}
	for _, test := range tests {
		body := encoded(t, encoders[test.charset], "<a href='"+test.href+"'>")
		page := readWith(t, extract.Options{}, extract.Input{Header: http.Header{"Content-Type": {"text/html; charset=" + test.charset}}, Body: []byte(body)})
		if len(page.Links) != 1 || page.Links[0].Href != test.want {
			t.Errorf("%s %q: %q, want %q", test.charset, test.href, list(page.Links), test.want)
		}
	}
}

// A text without markup is read in the charset that the header names, or its bytes give away; bytes that are UTF-8 are UTF-8.
func TestContent_PlainCharsets(t *testing.T) {
	const russian = "Поисковая система индексирует страницы сайта и находит слова в разных формах."
	encoded := func(label, text string) string {
		enc, _ := charset.Lookup(label)
		s, err := enc.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, tt := range []struct{ mediaType, body, want, charset, source string }{
		{"text/plain; charset=koi8-r", encoded("koi8-r", "медведь"), "медведь", "koi8-r", extract.SourceHeader},
		{"text/plain; charset=Shift_JIS", encoded("shift_jis", "熊が魚"), "熊が魚", "shift_jis", extract.SourceHeader},
		{"text/plain; charset=iso-2022-jp", encoded("iso-2022-jp", "熊が魚"), "熊が魚", "iso-2022-jp", extract.SourceHeader},
		{"text/plain", encoded("iso-2022-jp", "熊が魚"), "熊が魚", "iso-2022-jp", extract.SourceGuess},
		{"text/markdown; charset=big5", encoded("big5", "防火牆"), "防火牆", "big5", extract.SourceHeader},
		{"text/plain", encoded("koi8-r", russian), russian, "koi8-r", extract.SourceGuess},
		{"text/plain", encoded("windows-1252", "für"), "für", "windows-1252", extract.SourceDefault},
		{"text/plain; charset=iso-8859-1", "für", "für", "utf-8", extract.SourceUTF8},
		{"text/plain; charset=nobody-knows", "für", "für", "utf-8", extract.SourceUTF8},
		{"text/plain", "\ufefffür", "für", "utf-8", extract.SourceBOM},
		{"text/plain", "ASCII", "ASCII", "", ""},
	} {
		in := extract.Input{Header: http.Header{"Content-Type": {tt.mediaType}}, Body: []byte(tt.body)}
		x := extract.New(extract.Options{})
		p, err := x.Page(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		c, err := x.Content(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		got := [...]string{c.Body, p.Charset, p.CharsetSource}
		if want := [...]string{tt.want, tt.charset, tt.source}; got != want {
			t.Errorf("%s: text, charset and who says so %q, want %q", tt.mediaType, got, want)
		}
	}
}
