package trap

import "strings"

// goesOn reports whether an address only goes on from that of the page that leads to it: it has all of its words and more, or
// differs only in its numbers, and by little.
func goesOn(from, to string) bool { return extends(to, from) || countsOn(from, to) }

// extends reports whether an address has all the words of another, and more.
func extends(longer, shorter string) bool {
	if len(longer) <= len(shorter) {
		return false
	}
	words := 0
	for i := 0; i < len(shorter); i++ {
		from := i
		for i < len(shorter) && !parts(shorter[i]) {
			i++
		}
		if i == from {
			continue
		}
		if words++; !hasWord(longer, shorter[from:i]) {
			return false
		}
	}
	return words > 1
}

// parts reports whether a character stands between two words of an address.
func parts(c byte) bool {
	switch c {
	case '/', '?', '&', ';', '+', ',', '=', '.', '-', '_':
		return true
	}
	return false
}

// countsUp is goesOn for addresses that do not count down.
func countsUp(from, to string) bool { return goesOn(from, to) && !countsDown(from, to) }

// hasWord reports whether an address has a word in it; a number must not be a part of another.
func hasWord(address, word string) bool {
	for from := 0; ; from++ {
		i := strings.Index(address[from:], word)
		if i < 0 {
			return false
		}
		from += i
		end := from + len(word)
		within := isDigit(word[0]) && from > 0 && isDigit(address[from-1])
		if !within && !(isDigit(word[len(word)-1]) && end < len(address) && isDigit(address[end])) {
			return true
		}
	}
}

// lowest is how many digits, without zeros before them, the numbers have at most of a page that is said to count down to zero:
// higher ones never get there.
const lowest = 6

// countsDown reports whether two addresses are the same but for numbers, of which none is higher in the second one.
func countsDown(from, to string) bool {
	lower := false
	for {
		i, j := indexDigit(from), indexDigit(to)
		if i < 0 || j < 0 {
			return lower && from == to
		}
		if from[:i] != to[:j] {
			return false
		}
		v, n := padded(from[i:])
		w, m := padded(to[j:])
		if n == 0 || m == 0 || w > v {
			return false
		}
		lower = lower || w < v
		from, to = from[i+n:], to[j+m:]
	}
}

// padded is number for one of at most so many digits behind any number of zeros.
func padded(s string) (v, n int) {
	zeros := len(s) - len(strings.TrimLeft(s, "0"))
	if v, n = number(s[zeros:], lowest); n > 0 || zeros < len(s) && isDigit(s[zeros]) {
		return v, n + zeros*one(n > 0)
	}
	return 0, zeros
}

// step is by how much numbers differ at most in an address that counts on.
const step = 100

// countsOn reports whether two addresses are the same but for numbers.
func countsOn(a, b string) bool {
	differ := false
	for {
		i, j := indexDigit(a), indexDigit(b)
		if i < 0 || j < 0 {
			return differ && a == b
		}
		if strings.TrimSuffix(a[:i], "-") != strings.TrimSuffix(b[:j], "-") { // of a number below zero
			return false
		}
		v, n := number(a[i:], 9)
		w, m := number(b[j:], 9)
		if n == 0 || m == 0 || v-w > step || w-v > step {
			return false
		}
		differ = differ || v != w
		a, b = a[i+n:], b[j+m:]
	}
}

// indexDigit returns where the first digit is; -1 when there is none.
func indexDigit(s string) int {
	for i := range len(s) {
		if isDigit(s[i]) {
			return i
		}
	}
	return -1
}
