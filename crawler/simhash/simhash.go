package simhash

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
)

// Bounds of what is taken for nearly the same.
const (
	MaxDistance = 3  // bits in which hashes of nearly the same text differ at most
	MinWords    = 24 // words that a text must have to be compared
)

const (
	shingle  = 3       // words
	maxBytes = 1 << 20 // of a page, looked at
	whole    = 512     // words, after which one shingle of sixteen is a feature, by its hash: the same ones in every text
)

// A Text is what is known of the text of a page. The zero value is that of an empty page.
type Text struct {
	Hash  uint64 // simhash
	Words int
}

// Near reports whether two texts are long enough to compare and nearly the same.
func (t Text) Near(o Text) bool {
	return t.Words >= MinWords && o.Words >= MinWords && bits.OnesCount64(t.Hash^o.Hash) <= MaxDistance
}

// Of reads a page, or a plain text. It looks at no more than the first megabyte.
func Of(page []byte) Text { return new(Reader).Of(page) }

// A Reader reads one page after the other and uses its memory again. It is for one goroutine at a time.
type Reader struct {
	text   Text
	others int                 // words that are no numbers
	exact  uint64              // of all words, and numbers by what they are
	last   [shingle - 1]uint64 // hashes of the words before
	counts [64]int32           // of each bit, in how many features it is set
	lanes  [8]uint64           // likewise since the last flush, in bytes: bit 8*i+k is counted in byte i of lane k
	inLane int
	least  [sampled]uint64 // of the features, with the greatest first
	set    set
	// endless says of each of embedded that one was begun and nothing behind ends it: then nothing ends a later one either. When
	// that was looked for each time anew, a megabyte of "<script>" took more than a minute.
	endless [len(embedded)]bool
}

// sampled is how many features of a text are told by Sample.
const sampled = 8

// Sample returns the shingles of the text that was read last whose hashes are least, or zeros when there are fewer. Chosen like
// that, a phrase that is in the sample of one page is in that of most pages that have it: so samples tell what a page says that
// others have not said. Of a text that is mostly numbers, as tables of tides are, it returns zeros: what it says is in these.
func (r *Reader) Sample() [sampled]uint64 {
	if r.set.n < sampled || 2*r.others < r.text.Words {
		return [sampled]uint64{}
	}
	return r.least
}

// Exact returns a hash of the words of the text that was read last, one after the other, with the numbers as they are: it differs
// where the texts of two pages do at all.
func (r *Reader) Exact() uint64 { return r.exact }

// sample keeps a feature that is one of the least.
func (r *Reader) sample(h uint64) {
	most := 0
	r.least[0] = h
	for i, l := range r.least {
		if l > r.least[most] {
			most = i
		}
	}
	r.least[0], r.least[most] = r.least[most], r.least[0]
}

// Of is the function Of.
func (r *Reader) Of(page []byte) Text {
	*r = Reader{set: r.set}
	for i := range r.least {
		r.least[i] = math.MaxUint64
	}
	r.set.reset()
	r.read(page[:min(len(page), maxBytes)])
	return r.finish()
}

// Multipliers of the hashes: FNV's, and one of splitmix64.
const (
	offset = 14695981039346656037
	prime  = 1099511628211
	mixing = 0xbf58476d1ce4e5b9
)

func mix(h uint64) uint64 {
	h ^= h >> 30
	h *= mixing
	return h ^ h>>27
}

// read goes through a page once. Most words are of at most seven letters of ASCII: those are read at once, and without a call.
func (r *Reader) read(b []byte) {
	i := 0
	for i+8 <= len(b) {
		i = r.readShort(b, i)
		if i < len(b) {
			i = r.readOther(b, i)
		}
	}
	for i < len(b) {
		i = r.readOther(b, i)
	}
}

// readShort takes in words from b[i] on, up to one that is longer or not of ASCII, or to the last few bytes, and returns where
// that is.
func (r *Reader) readShort(b []byte, i int) int {
	words, others, before, last, exact := r.text.Words, r.others, r.last[0], r.last[1], r.exact
	for i+8 <= len(b) {
		eight := binary.LittleEndian.Uint64(b[i:])
		letters, digits := within(eight|lower, 'a', 'z'), within(eight, '0', '9')
		ends := ^(letters | digits) & high
		if eight&high != 0 || ends == 0 {
			break
		}
		n := bits.TrailingZeros64(ends) & 63 // and seven bits, of where the word ends
		if n > 7 {
			word := (offset ^ bits.ReverseBytes64(eight|lower)>>((71-n)&63)) * prime
			exact = (exact ^ word) * prime
			if letters&(1<<(n&63)-1) != 0 {
				others++
			} else {
				word = offset // that of all numbers
			}
			h := mix(before*3 + last*5 + word)
			before, last = last, word
			if words++; h>>60 == 0 || words <= whole {
				r.shingle(h, words)
			}
			i += n / 8
		}
		if b[i] == '<' {
			i = r.skipTag(b, i)
		}
		i++
	}
	r.text.Words, r.others, r.last, r.exact = words, others, [...]uint64{before, last}, exact
	return i
}

// readOther takes in what is at b[i], be it a word or none, and returns where it ends.
func (r *Reader) readOther(b []byte, i int) int {
	switch c := b[i]; {
	case kinds[c] != 0:
		return i + r.readWord(b[i:])
	case c == '<':
		return r.skipTag(b, i) + 1
	}
	return i + 1
}

// Of eight bytes at once: the highest bit of each, and the one that makes letters lower case.
const high, lower = 0x8080808080808080, 0x2020202020202020

// readWord takes in the word at the start of b and returns its length. What is of ASCII is seen eight bytes at once.
func (r *Reader) readWord(b []byte) int {
	word, of, group := uint64(offset), byte(digit), 7
	for at := 0; at+8 < len(b); group = 8 {
		eight := binary.LittleEndian.Uint64(b[at:])
		letters, digits := within(eight|lower, 'a', 'z'), within(eight, '0', '9')
		n := min(bits.TrailingZeros64(^(letters|digits)&high)/8, group)
		if letters&(1<<(8*n)-1) != 0 {
			of = letter
		}
		ends := kinds[b[at+n]] == 0
		if n == 0 || n < group && !ends {
			break
		}
		word = (word ^ bits.ReverseBytes64(eight|lower)>>(64-8*n)) * prime
		at += n
		if ends {
			r.wordOf(word, of)
			return at
		}
		word ^= word >> 32
	}
	return r.readBytes(b)
}

// within returns the highest bit of each byte that is of ASCII and between two others.
func within(eight uint64, from, to byte) uint64 {
	const ones = 0x0101010101010101
	low := eight &^ high
	return (low + uint64(0x80-from)*ones) &^ (low + uint64(0x7f-to)*ones) &^ eight & high
}

// readBytes is readWord for any word: it is hashed by seven bytes and then eight at a time.
func (r *Reader) readBytes(b []byte) int {
	word, bytes := uint64(offset), uint64(0)
	n := 0
	var in byte // what the bytes have been
	for ; n < len(b); n++ {
		k := kinds[b[n]]
		if k == 0 || k == ideograph && n > 0 {
			break
		}
		if n&7 == 7 {
			word, bytes = (word^bytes)*prime, 0
			word ^= word >> 32
		}
		bytes = bytes<<8 | uint64(b[n]|k&letter)
		in |= k
	}
	r.wordOf((word^bytes)*prime, in)
	return n
}

// Kinds of bytes that belong to words. The bit 0x20 makes a letter lower case.
const (
	digit     = 0x01
	foreign   = 0x02 // a byte of a letter that is not ASCII
	ideograph = 0x04 // the first byte of a character that is a word by itself, in UTF-8
	letter    = 0x20
)

var kinds = func() (k [256]byte) {
	for c := range k {
		switch {
		case c >= '0' && c <= '9':
			k[c] = digit
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			k[c] = letter
		case c >= 0xE3 && c <= 0xED:
			k[c] = ideograph
		case c >= 0x80:
			k[c] = foreign
		}
	}
	return k
}()

// wordOf takes in the next word, which is made of kinds of bytes. All numbers are one word.
func (r *Reader) wordOf(w uint64, of byte) {
	r.exact = (r.exact ^ w) * prime
	if of == digit {
		w = offset
	} else {
		r.others++
	}
	r.word(w)
}

// word takes in the next word.
func (r *Reader) word(w uint64) {
	r.text.Words++
	h := mix(r.last[0]*3 + r.last[1]*5 + w)
	r.last[0], r.last[1] = r.last[1], w
	if r.text.Words <= whole || h>>60 == 0 {
		r.shingle(h, r.text.Words)
	}
}

// shingle takes in the last of so many words, if they are a feature.
func (r *Reader) shingle(h uint64, words int) {
	if words < shingle || !r.set.add(h) {
		return
	}
	if h < r.least[0] {
		r.sample(h)
	}
	const ones = 0x0101010101010101
	for k := range r.lanes {
		r.lanes[k] += h >> k & ones
	}
	if r.inLane++; r.inLane == 255 {
		r.flush()
	}
}

func (r *Reader) flush() {
	for k, lane := range r.lanes {
		for i := range 8 {
			r.counts[8*i+k] += int32(lane >> (8 * i) & 0xff)
		}
	}
	r.lanes, r.inLane = [8]uint64{}, 0
}

func (r *Reader) finish() Text {
	r.flush()
	half := int32(r.set.n) / 2
	for i, n := range r.counts {
		if n > half {
			r.text.Hash |= 1 << i
		}
	}
	return r.text
}

// embedded are the elements whose content is no text.
var embedded = [...]string{"script", "style"}

// skipTag returns where the tag, comment, script or style that starts at b[i] ends. It is asked about one b from front to back.
func (r *Reader) skipTag(b []byte, i int) int {
	rest := b[i:]
	switch {
	case len(rest) > 3 && rest[1] == '!' && rest[2] == '-' && rest[3] == '-':
		return i + through(rest[4:], "-->") + 3
	case len(rest) < 2 || !(rest[1] == '/' || rest[1] == '!' || rest[1] == '?' || kinds[rest[1]] == letter):
		return i
	}
	end := len(b) - 1
	if close := indexClose(rest); close >= 0 {
		end = i + close
	}
	if rest[1]|0x20 != 's' {
		return end
	}
	for k, name := range embedded {
		if !r.endless[k] && len(rest) > len(name)+1 && bytes.EqualFold(rest[1:len(name)+1], []byte(name)) {
			if to := bytes.Index(b[min(end, len(b)):], []byte("</"+name)); to >= 0 {
				return end + to - 1
			}
			r.endless[k] = true
		}
	}
	return end
}

// indexClose returns where the first ">" is, or -1. Most tags are short.
func indexClose(b []byte) int {
	const ones, close = 0x0101010101010101, 0x3e3e3e3e3e3e3e3e
	if len(b) >= 8 {
		if x := binary.LittleEndian.Uint64(b) ^ close; (x-ones)&^x&high != 0 {
			return bits.TrailingZeros64((x-ones)&^x&high) / 8
		}
	}
	return bytes.IndexByte(b, '>')
}

// through returns the length of b up to and with the first mark.
func through(b []byte, mark string) int {
	if i := bytes.Index(b, []byte(mark)); i >= 0 {
		return i + len(mark)
	}
	return len(b)
}

// A set holds hashes, a few thousand of them.
type set struct {
	slots []uint64 // a power of two; 0 is free
	n     int
}

// usualSlots hold the hashes of nearly all pages.
const usualSlots = 2048

// reset empties the set.
func (s *set) reset() {
	if s.n = 0; len(s.slots) != usualSlots {
		s.slots = make([]uint64, usualSlots)
		return
	}
	clear(s.slots)
}

// add reports whether h, which is not 0, was not there.
func (s *set) add(h uint64) bool {
	if 2*s.n >= len(s.slots) {
		s.grow()
	}
	h |= 1
	for i := h >> 8; ; i++ {
		switch p := &s.slots[i&uint64(len(s.slots)-1)]; *p {
		case h:
			return false
		case 0:
			*p = h
			s.n++
			return true
		}
	}
}

func (s *set) grow() {
	old := s.slots
	s.slots = make([]uint64, 2*len(old))
	for _, h := range old {
		if h == 0 {
			continue
		}
		for i := h >> 8; ; i++ {
			if p := &s.slots[i&uint64(len(s.slots)-1)]; *p == 0 {
				*p = h
				break
			}
		}
	}
}
