package extract

import (
	"strings"
	"testing"
)

// FuzzWeigh looks for pages that weigh more as a tree than weigh and glance say. A page is a list of tags from soup, each byte
// one of them; from 200 on a byte repeats the tag before it.
func FuzzWeigh(f *testing.F) {
	f.Add([]byte("abcdefghijklmnopqrstuvwxyz"))
	f.Add([]byte{2, 3, 15, 255, 16, 255})
	f.Fuzz(func(t *testing.T, recipe []byte) {
		var page strings.Builder
		last := ""
		for _, c := range recipe[:min(len(recipe), 300)] {
			if c < 200 {
				last = strings.ReplaceAll(soup[int(c)%len(soup)], ".", " ")
				page.WriteString(last)
				continue
			}
			for i := range c - 200 {
				page.WriteString(strings.Replace(last, "=", "="+string('a'+rune(i)), 1))
			}
		}
		checkWeight(t, []byte(page.String()))
	})
}

// FuzzScan looks for pages in which scanner and tokenizer see different tags.
func FuzzScan(f *testing.F) {
	f.Add([]byte("<script><!--<<script></script>--></script><a href=x/><a/b =c d='e'f>"))
	f.Add([]byte("<title></titl></TITLE/><!--x--!><!-->-><![CDATA[>]]></ x></><?x?><plaintext></plaintext>"))
	f.Fuzz(checkScan)
}

// FuzzWritePlain checks that plain text is written as any text is.
func FuzzWritePlain(f *testing.F) {
	f.Add([]byte("two words\n and  more "), 9)
	f.Add([]byte("\t"), 0)
	f.Fuzz(func(t *testing.T, text []byte, most int) {
		if len(text) == 0 || !isPlain(text) {
			return
		}
		fast, slow := textWriter{max: most}, textWriter{max: most}
		for range 2 {
			fast.writePlain(text)
			slow.write(string(text))
		}
		if fast.String() != slow.String() || fast.space != slow.space || fast.line != slow.line || fast.full != slow.full {
			t.Errorf("%q %+v, want %q %+v", fast.String(), fast, slow.String(), slow)
		}
	})
}
