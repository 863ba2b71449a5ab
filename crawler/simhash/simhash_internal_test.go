package simhash

import (
	"bytes"
	"testing"
)

// Ensure that words that are read at once have the hashes that they have byte by byte: those of pages that were read before are
// kept.
func FuzzReadWord(f *testing.F) {
	for _, s := range []string{
		"a b c d e f", "Seven77 letters", "eightays x", "1994 2026 ", "12ab34cd56 ef", "caf\xc3\xa9 au lait", "\xe6\x97\xa5\xe6\x9c\xac abcdefg",
		"abcdefg\xe6\x97\xa5", "@[`{/: 0az9AZ @", "x\x80\xff\x7f", "supercalifragilisticexpialidocious and so on", "1234567 12345678 123456789012345 1234567890123456 abcdefgh1234567",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		text = append(bytes.ReplaceAll(text, []byte("<"), []byte(" ")), "          "...)
		var fast, slow Reader
		fast.set.reset()
		slow.set.reset()
		for i := 0; i < len(text); {
			if kinds[text[i]] == 0 {
				i++
				continue
			}
			n, want := fast.readWord(text[i:]), slow.readBytes(text[i:])
			if n != want || fast.last != slow.last || fast.text != slow.text {
				t.Fatalf("%q: a word of %d bytes, hashes %x; byte by byte %d and %x", text[i:], n, fast.last, want, slow.last)
			}
			i += n
		}
	})
}

// Ensure that a page that is read by words at once has the hash that it has byte by byte.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"", "a", "seven77", "eightays", "a b<i>c</i> 12 <!-- d --> ef", "<p>one, two\x80three four<", "1994 <b>2026</b>", "x\xe6\x97\xa5y zzz zzzz",
		"@[`{/: 0az9AZ @ and more of it", "\x10\x11\x12 \x30\x31 and so on", "<script>a b c</script> said <style>d", "a<bc def ghi jkl <",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, want := indexClose(text), bytes.IndexByte(text, '>'); got != want {
			t.Fatalf("%q: a tag ends at %d, want %d", text, got, want)
		}
		var fast, slow Reader
		fast.set.reset()
		slow.set.reset()
		fast.read(text)
		for i := 0; i < len(text); {
			switch {
			case kinds[text[i]] != 0:
				i += slow.readBytes(text[i:])
			case text[i] == '<':
				i = slow.skipTag(text, i) + 1
			default:
				i++
			}
		}
		if got, want := fast.finish(), slow.finish(); got != want || fast.last != slow.last {
			t.Fatalf("%q: %x, of %x; byte by byte %x, of %x", text, got, fast.last, want, slow.last)
		}
	})
}

// Ensure that the end of a script is looked for once when there is none: a page of nothing but "<script>" took more than a minute.
func TestReader_EndlessScripts(t *testing.T) {
	for _, name := range embedded {
		page := []byte("<" + name + "><" + name + ">a</" + name + ">")
		begin := len(name) + 2
		var r Reader
		if got, want := r.skipTag(page, 0), 2*begin; got != want {
			t.Errorf("a %s that ends: skipped to %d, want %d", name, got, want)
		}
		if got, want := r.skipTag(page[:2*begin], 0), begin-1; got != want {
			t.Errorf("a %s without end: skipped to %d, want %d", name, got, want)
		}
		if got, want := r.skipTag(page, begin), 2*begin-1; got != want {
			t.Errorf("a %s after one without end: skipped to %d, want %d: it was looked for again", name, got, want)
		}
	}
}
