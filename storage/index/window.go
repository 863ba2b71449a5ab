package index

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// snippet returns the part of a text with the most words of the query; if there are none, what the page says of itself, or its
// beginning. most bounds its characters, if it is not negative.
func snippet(text string, spans []span, t *Text, f *finder, most int) Excerpt {
	if most == 0 {
		return nil
	}
	var e Excerpt
	switch {
	case len(spans) == 0 && t.Description != "":
		description := cut(t.Description, snippetLen)
		e = f.mark(description)
	case len(spans) == 0:
		from, to := window(text, 0, 0)
		e = marked(text, nil, from, to)
	default:
		first, last := best(spans)
		from, to := window(text, spans[first].start, spans[last].end)
		e = marked(text, spans, from, to)
		if from > 0 {
			e = append(Excerpt{{Text: "… "}}, e...)
		}
		if to < len(strings.TrimRight(text, " \n")) {
			e = append(e, Fragment{Text: " …"})
		}
	}
	return shortened(e, most)
}

// best returns the first and the last of the spans that one snippet can hold and that have the most different words, then the most.
func best(spans []span) (first, last int) {
	bestWords, bestCount := 0, 0
	for i, j := 0, 0; i < len(spans); i++ {
		j = max(j, i)
		for j+1 < len(spans) && spans[j+1].end-spans[i].start <= snippetLen {
			j++
		}
		var w found
		for _, s := range spans[i : min(j, i+64)+1] {
			w.set |= 1 << s.word
		}
		if n, count := w.count(), min(j-i, 3); n > bestWords || n == bestWords && count > bestCount {
			bestWords, bestCount, first, last = n, count, i, j
		}
	}
	return first, last
}

// window extends a part of a text to whole words, or to the block it stands in, up to the length of a snippet.
func window(text string, start, end int) (from, to int) {
	room := max(snippetLen-(end-start), 0)
	from, to = max(0, start-room/3), min(len(text), end+room-min(room/3, start))
	if i := strings.LastIndexByte(text[from:start], '\n'); i >= 0 { // the beginning of a block is a good beginning
		from += i + 1
	} else if from > 0 {
		from = wordStart(text, from, start)
	}
	if to = min(to, max(end, from+snippetLen)); to < len(text) {
		to = wordEnd(text, end, to)
	}
	return from, to
}

// longName is how far an end of an excerpt is moved, in bytes, so that it parts no word and no name, as org.example.Name is.
const longName = 30

// wordStart returns where the first word begins in text[from:to], or the one that from is in if none does soon, as in
// org.example.Name.
func wordStart(text string, from, to int) int {
	for from < to && isWithin(text, from) {
		from++
	}
	if i := strings.IndexByte(text[from:to], ' '); i >= 0 && i < longName {
		return from + i + 1
	}
	before := max(0, from-longName)
	if i := strings.LastIndexAny(text[before:from], " \n"); i >= 0 || before == 0 {
		return before + i + 1
	}
	return from
}

// wordEnd returns where the last word ends in text[from:to].
func wordEnd(text string, from, to int) int {
	for to > from && isWithin(text, to) {
		to--
	}
	if i := strings.LastIndexAny(text[from:to], " \n"); i >= 0 && to-from-i < longName {
		return from + i
	}
	return to
}

// isWithin reports whether a character begins before i and goes on there, with marks or what is joined to it (UAX #29, GB9, GB11).
func isWithin(text string, i int) bool {
	if !utf8.RuneStart(text[i]) || strings.HasSuffix(text[:i], "\u200d") {
		return true
	}
	next, _ := utf8.DecodeRuneInString(text[i:])
	return next == '\u200d' || unicode.Is(unicode.M, next)
}

// shortened returns the first characters of an excerpt, at most so many.
func shortened(e Excerpt, most int) Excerpt {
	if most < 0 {
		return e
	}
	left := most
	for i := range e {
		if n := utf8.RuneCountInString(e[i].Text); n > left {
			e[i].Text = string([]rune(e[i].Text)[:left])
			return e[:i+1]
		} else {
			left -= n
		}
	}
	return e
}
