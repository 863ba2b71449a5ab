package simhash_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/simhash"
)

// text returns n words that depend on the seed.
func text(seed, n int) []string {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	words := make([]string, n)
	for i := range words {
		words[i] = string([]byte{'a' + byte(r.IntN(26)), 'a' + byte(r.IntN(26)), 'a' + byte(r.IntN(26))})
	}
	return words
}

func TestOf(t *testing.T) {
	base := text(1, 400)
	changed := append(append([]string{}, base[:200]...), append([]string{"something", "else"}, base[200:]...)...)
	page := func(words []string) []byte { return []byte(strings.Join(words, " ")) }
	of := simhash.Of(page(base))
	for _, tt := range []struct {
		name string
		page []byte
		near bool
	}{
		{"itself", page(base), true},
		{"two words more", page(changed), true},
		{"in markup", []byte("<html><script>var a = '" + strings.Join(text(9, 50), " ") + "';</script><p>" + strings.Join(base, "</p><p class=x>") + "<!-- " + strings.Join(text(8, 50), " ") + " -->"), true},
		{"in capitals", page([]string{strings.ToUpper(strings.Join(base, " "))}), true},
		{"another text", page(text(2, 400)), false},
		{"half of another", page(append(append([]string{}, base[:200]...), text(3, 200)...)), false},
		{"empty", nil, false},
		{"a few words", page(base[:10]), false},
	} {
		got := simhash.Of(tt.page)
		if got.Near(of) != tt.near {
			t.Errorf("%s: differs in %d bits, near = %v, want %v", tt.name, bits.OnesCount64(got.Hash^of.Hash), got.Near(of), tt.near)
		}
	}
}

// Ensure that a number more or less makes no other text.
func TestOf_Numbers(t *testing.T) {
	words := strings.Join(text(1, 60), " ")
	a, b := simhash.Of([]byte("1 of 20: "+words+" 1994")), simhash.Of([]byte("2 of 21: "+words+" 2026"))
	if a != b {
		t.Errorf("pages that differ in numbers: %x and %x", a, b)
	}
}

// Ensure that texts without blanks have words.
func TestOf_Ideographs(t *testing.T) {
	a := simhash.Of([]byte(strings.Repeat("日本語の文書は単語の間に空白がありません。", 5)))
	if a.Words < 50 {
		t.Errorf("%d words, want one for each character", a.Words)
	}
}

// Ensure that a hash tells texts apart by their numbers, and by what is no feature of a long one, and looks at nothing but text.
func TestReader_Exact(t *testing.T) {
	exact := func(page string) uint64 {
		var r simhash.Reader
		r.Of([]byte(page))
		return r.Exact()
	}
	long := strings.Join(words(1000), " ")
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"<p class=1>It had 17 degrees.", "<p class=2>It had 17 degrees.<br>", true},
		{"It had 17 degrees in 2026.", "It had 18 degrees in 2026.", false},
		{"It had 17 degrees", "It had degrees 17", false},
		{"The number is 123456789.", "The number is 123456780.", false},
		{long + " a b c", long + " a b d", false},
		{"of 17 \u00e4", "of 17 a", false},
		{"of 17 and then some", "of 17<i title=\u00e4> and then some", true},
	} {
		if same := exact(tt.a) == exact(tt.b); same != tt.same {
			t.Errorf("%.40q and %.40q are the same: %v, want %v", tt.a, tt.b, same, tt.same)
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add([]byte("<p>a b c<script>x</script>"))
	f.Add([]byte("<!-- -"))
	f.Fuzz(func(t *testing.T, page []byte) {
		of := simhash.Of(page)
		if of.Words > len(page) {
			t.Errorf("%d words in %d bytes", of.Words, len(page))
		}
		if again := simhash.Of(append([]byte("<i></i>"), page...)); again != of {
			t.Errorf("with a tag before: %x, want %x", again, of)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	for name, page := range map[string]string{
		"tags":    "<p>" + strings.Join(words(3000), " </p><p>"),
		"prose":   "<p>" + strings.Join(words(3000), " "),
		"endless": strings.Repeat("<script>", 1<<17),
	} {
		b.Run(name, func(b *testing.B) {
			page := []byte(page)
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			var r simhash.Reader
			for b.Loop() {
				r.Of(page)
			}
		})
	}
}

// words returns n words of as many letters as those of a language have.
func words(n int) []string {
	r := rand.New(rand.NewPCG(1, 1))
	words := make([]string, n)
	for i := range words {
		word := make([]byte, 1+r.IntN(5)+r.IntN(5))
		for k := range word {
			word[k] = 'a' + byte(r.IntN(26))
		}
		words[i] = string(word)
	}
	return words
}

// Ensure that what a page takes over from others is in samples of theirs, and what it says itself is not.
func TestReader_Sample(t *testing.T) {
	phrase := func(from, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "w%c%c ", 'a'+(from+i)/26%26, 'a'+(from+i)%26)
		}
		return b.String()
	}
	var r simhash.Reader
	known := map[uint64]bool{}
	for i := range 10 { // pages of entries, each with two of five
		r.Of([]byte(phrase(60*(i%5), 60) + ". " + phrase(60*((i+i/5+1)%5), 60)))
		for _, s := range r.Sample() {
			known[s] = true
		}
	}
	fresh := func(text string) (n int) {
		r.Of([]byte(text))
		for _, s := range r.Sample() {
			if !known[s] {
				n++
			}
		}
		return n
	}
	if n := fresh(phrase(0, 60) + ". " + phrase(180, 60)); n > 2 {
		t.Errorf("%d phrases of a page are new that says what others said", n)
	}
	if n := fresh(phrase(400, 120)); n < 7 {
		t.Errorf("%d phrases of a page are new that says something else, want all", n)
	}
	if r.Of([]byte("too short a text")); r.Sample() != [8]uint64{} {
		t.Errorf("the sample of four words is %v", r.Sample())
	}
	if r.Of([]byte(phrase(0, 60) + strings.Repeat("17 of 4711 ", 50))); r.Sample() == [8]uint64{} {
		t.Error("a text with numbers has no sample")
	}
	if r.Of([]byte(phrase(0, 60) + strings.Repeat("7 4711 in 123456789 ", 50))); r.Sample() != [8]uint64{} {
		t.Errorf("the sample of a text that is mostly numbers is %v", r.Sample())
	}
}
