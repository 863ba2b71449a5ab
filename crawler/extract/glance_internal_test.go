package extract

import (
	"strings"
	"testing"
)

func TestLooseFormatting(t *testing.T) {
	for page, want := range map[string]int{
		"<b>x</b> <a href=x>y</a>":               0,
		"<B>x</b> <b\n>x</B\t>":                  0,
		"<a href='>'>x</a>":                      0,
		"<a href='</a>":                          0, // no tag
		"<b>x":                                   1,
		"<b>x<":                                  1,
		"<b>x</i>":                               1,
		"<b>x</bb>":                              1,
		"<b><br><img><span>x<i>y</i></span></b>": 0,
		"<b><!-- -->x</b>":                       0,
		"<b><span>x</b></span>":                  1,
		"<b><p>x</p></b>":                        1,
		"<b><hr></b>":                            1,
		"<b><x-y></x-y></b>":                     1,
		"<b><a>x</a></b>":                        1,
		"<b><svg></svg></b>":                     1,
		"<i><b>x</i></b>":                        2,
		"<!-- <b> -->":                           1,
		"<b>" + strings.Repeat("<br>", 20) + "</b>":     1,
		strings.Repeat("<b>", 9) + "x":                  9,
		"<section><table><title><span><p><q></section>": 0,
	} {
		if got, ok := looseFormatting([]byte(page)); got.count != want || !ok {
			t.Errorf("looseFormatting(%q) = %d, %t, want %d", page, got.count, ok, want)
		}
	}
	for _, page := range []string{"<html a><html b><html c>", "<svg></svg><template></template>"} {
		if _, ok := looseFormatting([]byte(page)); ok {
			t.Errorf("looseFormatting(%q) is sure", page)
		}
	}
}

// TestBound_Page: a page as there are many is weighed at a glance, and that is not far off.
func TestBound_Page(t *testing.T) {
	page := []byte("<html lang=en><head><title>x</title></head><body>" + strings.Repeat("<p>Some words, <a href=/x>a link</a> and <b>more</b>.</p>\n", 100))
	cost, ok := glance(page)
	exact, known := weigh(page, 1<<20)
	if !ok || !known || cost < exact/4 || cost > 4*exact {
		t.Errorf("at a glance %d, %t, weighed %d, %t", cost, ok, exact, known)
	}
}

// TestWeigh_DeepIsDear: the time that the parser takes to look through many open elements counts.
func TestWeigh_DeepIsDear(t *testing.T) {
	flat, _ := weigh([]byte(strings.Repeat("<x></x>", 400)+strings.Repeat("</y>", 10000)), 1<<30)
	deep, _ := weigh([]byte(strings.Repeat("<x>", 400)+strings.Repeat("</y>", 10000)), 1<<30)
	if deep < 3*flat {
		t.Errorf("deep %d, flat %d", deep, flat)
	}
}
