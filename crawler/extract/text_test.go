package extract_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/extract"
)

func TestText(t *testing.T) {
	tests := []struct{ name, html, want string }{
		{"white space", " a \n b\t<b>c</b>d <i> e</i>", "a b cd e"},
		{"blocks", "<p>a<p>b<div>c<br>d</div>e<ul><li>f<li>g</ul>", "a\nb\nc\nd\ne\nf\ng"},
		{"table", "<table><tr><td>a<td>b<tr><td>c</table>", "a\nb\nc"},
		{"entities", "a&lt;b&amp;&#x41;&nbsp;c", "a<b&A c"},
		{"hidden", "<title>t</title><script>s</script>a<style>s</style><!--c-->b<template>x<p>y</template><textarea>z</textarea>", "ab"},
		{"comment inside a word", "a<!-- -->b", "ab"},
		{"noscript", "<noscript>a</noscript>", "a"},
		{"xmp and plaintext", "<xmp><a></xmp><plaintext><b>", "<a>\n<b>"},
		{"empty", "", ""},
		{"links side by side", "<a>a</a><a>b</a><span><a>c</a></span><a><b>d</b></a>", "a b c d"},
		{"links in a word", "<a>a</a>b<a>c</a>, (<a>d</a>)", "abc, (d)"},
		{"links of a text without blanks", "<a>中</a><a>国</a><a>x</a><a>人</a>", "中国x 人"},
		{"open template", "a<template>b", "a"},
		{"no UTF-8", "a\xff\xfeb \xed\xa0\x80 c", "a\uFFFDb \uFFFD c"},
		{"nothing but U+0000", "a\x00b <b>\x00</b>c", "ab c"},
	}
	x := extract.New(extract.Options{})
	for _, test := range tests {
		in := extract.Input{Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte(test.html)}
		got, err := x.Text(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestText_Bounded(t *testing.T) {
	x := extract.New(extract.Options{MaxText: 10})
	in := extract.Input{Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(strings.Repeat("word ", 1000))}
	got, err := x.Text(t.Context(), in)
	if err != nil || got != "word word" {
		t.Errorf("Text = %q, %v, want %q", got, err, "word word")
	}
	in.Header.Set("Content-Type", "text/plain")
	if got, _ := x.Text(t.Context(), in); got != "" {
		t.Errorf("Text of plain text = %q", got)
	}
}
