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
				i = skipTag(text, i) + 1
			default:
				i++
			}
		}
		if got, want := fast.finish(), slow.finish(); got != want || fast.last != slow.last {
			t.Fatalf("%q: %x, of %x; byte by byte %x, of %x", text, got, fast.last, want, slow.last)
		}
	})
}
