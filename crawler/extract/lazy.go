package extract

import (
	"slices"
	"strconv"
	"strings"
)

// lazies are the attributes in which pages keep an image or a film until it is scrolled to: no standard has them, the scripts that
// show them have agreed on these names (lazysizes, vanilla-lazyload, WordPress, slick, flickity, reveal.js).
var lazies = []lazyAttribute{
	{"data-src", lazyElements, false},
	{"data-lazy-src", lazyElements, false},
	{"data-lazy", lazyElements, false},
	{"data-original", lazyElements, false},
	{"data-full-src", lazyElements, false},
	{"data-flickity-lazyload", lazyElements, false},
	{"data-flickity-lazyload-src", lazyElements, false},
	{"data-poster", lazyElements, false},
	{"data-bg", nil, false},
	{"data-background-image", nil, false},
	{"data-srcset", lazyElements, true},
	{"data-lazy-srcset", lazyElements, true},
	{"data-original-set", lazyElements, true},
	{"data-flickity-lazyload-srcset", lazyElements, true},
}

// A lazyAttribute is one of them.
type lazyAttribute struct {
	attribute string
	elements  []string // that have it; nil: all
	many      bool     // a list as srcset has
}

// lazyElements show something. Not among them are scripts, which wait for a consent, and frames, which are pages of their own.
var lazyElements = []string{"img", "source", "video", "audio"}

// Lazy reports whether scripts take the value of an attribute for what an element shows later, and whether that is a list as
// srcset has, instead of a reference, which may have blanks and brackets in it, as photo (1).jpg. A number, a colour, a word, a
// template or what CSS would show is neither. Names are in lower case.
func Lazy(element, attribute, value string) (list, ok bool) {
	i := slices.IndexFunc(lazies, func(l lazyAttribute) bool { return l.attribute == attribute })
	if i < 0 || lazies[i].elements != nil && !slices.Contains(lazies[i].elements, element) {
		return false, false
	}
	value = trim(value)
	if _, err := strconv.ParseFloat(value, 64); err == nil {
		return false, false
	}
	isCSS := strings.HasPrefix(value, "url(") || strings.HasSuffix(value, ")")
	return lazies[i].many, strings.ContainsAny(value, "/.") && !strings.ContainsAny(value, "{}<>\"") && !isCSS
}
