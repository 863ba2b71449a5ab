package guess

import "strings"

// Word returns the candidate that is nearest to word, the first of several that are equally near. Case does not matter.
// found is false when none is near enough to have been meant: more than one letter and a third of the word would differ.
func Word(word string, candidates []string) (guess string, found bool) {
	nearest := len(word)/3 + 2
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d < nearest {
			guess, nearest, found = c, d, true
		}
	}
	return guess, found
}

// Typo is Word for candidates that are many, and of which something is stated once one is taken to be meant: no more than two
// letters may differ, nor more than in Word.
func Typo(word string, candidates []string) (guess string, found bool) {
	guess, found = Word(word, candidates)
	if !found || distance(strings.ToLower(word), strings.ToLower(guess)) > 2 {
		return "", false
	}
	return guess, true
}

// distance counts the insertions, deletions and substitutions of bytes that turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
