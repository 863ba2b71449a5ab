// Package simhash recognises texts that are nearly the same, by a hash of 64 bits of which few change where a text changes
// little (Charikar, "Similarity estimation techniques from rounding algorithms", 2002; Manku, Jain and Das Sarma, "Detecting
// near-duplicates for web crawling", 2007).
//
// A text is what stands between the tags of a page, scripts and styles left out, as words in lower case. Its features are its
// distinct shingles, three words in a row, so that a phrase that is repeated a hundred times counts once. All numbers are the
// same word: dates and counters make no other text.
//
// Limits: the bytes are read as they are, whatever their charset, and entities are not decoded. Two pages that hold fewer than
// MinWords words each say nothing of each other.
//
//	a, b := simhash.Of(page), simhash.Of(other)
//	if a.Near(b) { ... }
package simhash
