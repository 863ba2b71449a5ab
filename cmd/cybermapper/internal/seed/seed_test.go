package seed_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/frontier"
)

func TestRead_PlainAndObjects(t *testing.T) {
	text := "\ufeff# servers\nhttps://a.example/\r\n\n" +
		`{"url": "https://b.example", "depth": 3, "priority": 7, "note": "by mail, \"quoted\""}` + "\n" +
		`{"url": "https://c.example/", "prioriti": 1}` + "\n" +
		`{"url": "https://c.example/", "depth": -1}` + "\n" +
		`{"url": "https://c.example/", "priority": 256}` + "\n" +
		`{"url": "https://c.example/"} {}` + "\n" +
		`{"note": "no url"}` + "\n" + "{\n" + "not a url\n" + strings.Repeat("x", seed.MaxLine) + "\nhttps://d.example/"
	seeds, bad, err := seed.Read(strings.NewReader(text), "list", frontier.ParseURL)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range seeds {
		got = append(got, s.String())
	}
	want := []string{"https://a.example/", `{"url":"https://b.example/","depth":3,"priority":7,"note":"by mail, \"quoted\""}`, "https://d.example/"}
	if !slices.Equal(got, want) {
		t.Errorf("seeds %q, want %q", got, want)
	}
	var lines []string
	for _, b := range bad {
		lines = append(lines, b.Where)
	}
	if want := []string{"list:5", "list:6", "list:7", "list:8", "list:9", "list:10", "list:11", "list:12"}; !slices.Equal(lines, want) {
		t.Errorf("bad lines %v, want %v", bad, want)
	}
	if !strings.Contains(bad[0].Err.Error(), `unknown field "prioriti"`) {
		t.Errorf("misspelt key: %v", bad[0])
	}
}

// What follows a URL on its line is a comment or a mistake, and no part of the URL.
func TestRead_WhatFollowsTheURL(t *testing.T) {
	text := "http://a.example/ # ours\nhttp://b.example/#top\nhttp://c.example/\t# theirs\nhttp://d.example/x y\n" +
		"http://e.example/ http://f.example/\nhttp://g.example/\rHTTPS://h.example/\nhttp://i.example/?u=http://j.example/\n" +
		"http://k.example/\tA title\nhttp://l.example/\rm.html\nhttp://n.example/\t\n"
	seeds, bad, err := seed.Read(strings.NewReader(text), "list", frontier.ParseURL)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range seeds {
		got = append(got, s.String())
	}
	want := []string{"http://a.example/", "http://b.example/", "http://c.example/", "http://d.example/x%20y",
		"http://i.example/?u=http://j.example/", "http://n.example/"}
	if !slices.Equal(got, want) {
		t.Errorf("seeds %q, want %q", got, want)
	}
	var lines []string
	for _, b := range bad {
		lines = append(lines, b.Where)
	}
	if want := []string{"list:5", "list:6", "list:8", "list:9"}; !slices.Equal(lines, want) {
		t.Errorf("bad lines %v, want %v", bad, want)
	}
}

// Of what is not UTF-8 no other URL is made, and a list that is no text is said to be that, once.
func TestRead_NotText(t *testing.T) {
	text := "http://a.example/\xfc\n" + `{"url": "http://b.example/` + "\xfc\"}\nhttp://c.example/ü\n"
	seeds, bad, err := seed.Read(strings.NewReader(text), "list", frontier.ParseURL)
	if err != nil || len(seeds) != 1 || len(bad) != 2 || !strings.Contains(bad[0].String(), "list:1: not UTF-8") {
		t.Errorf("seeds %v, bad %v, error %v; want one seed, and lines 1 and 2 not UTF-8", seeds, bad, err)
	}
	for text, want := range map[string]string{
		"\xff\xfeh\x00t\x00\n\x00": "UTF-16",
		"\xfe\xff\x00h\x00t\x00\n": "UTF-16",
		"\x1f\x8b\x08\x00\nx\n":    "compressed",
		"PK\x03\x04\nx\n":          "a ZIP archive",
	} {
		_, bad, err := seed.Read(strings.NewReader(text), "list", frontier.ParseURL)
		if len(bad) > 0 || err == nil || !strings.Contains(err.Error(), "list is "+want) {
			t.Errorf("%q: error %v, bad lines %v; want that it is %s", text, err, bad, want)
		}
	}
}

// What shows nothing at the ends of a line, and was copied with its URL, is no part of that.
func TestRead_InvisibleCharacters(t *testing.T) {
	text := "\ufeffhttp://a.example/x\u200b\r\n\u200bhttp://b.example/\u00a0\n\u202ahttp://c.example/\u202c # note\n\u200b\n" +
		"\u2060{\"url\": \"http://d.example/\"}\n" + "http://e.example/\u0d28\u0d4d\u200d\u200b\nhttp://f.example/\u0647\u200d # note\n"
	seeds, bad, err := seed.Read(strings.NewReader(text), "list", frontier.ParseURL)
	var got []string
	for _, s := range seeds {
		got = append(got, s.String())
	}
	want := []string{"http://a.example/x", "http://b.example/", "http://c.example/", "http://d.example/",
		"http://e.example/%E0%B4%A8%E0%B5%8D%E2%80%8D", "http://f.example/%D9%87%E2%80%8D"}
	if err != nil || len(bad) > 0 || !slices.Equal(got, want) {
		t.Errorf("seeds %q, bad %v, error %v; want %q", got, bad, err, want)
	}
}

// Of a line of a table no URL is made that has the other cells in its path; elsewhere a comma is a comma.
func TestRead_Tables(t *testing.T) {
	for text, want := range map[string]int{
		"Top pages,Clicks,CTR\nhttp://a.example/,17,2.7%\nhttp://a.example/x\n":            1,
		"url;title\nhttp://a.example/;Home\n{\"url\": \"http://a.example/;y\"}\n":          1,
		"http://a.example/,\"Home, page\"\n":                                               0,
		"http://a.example/1,2,3\nhttp://a.example/a;b\n":                                   2,
		"My list\nhttp://a.example/1,2,3\n":                                                1,
		"Our sites; seen in May, 2024\nhttp://a.example/x;y,z\n":                           1,
		"ftp://a.example/1,2\nhttp://a.example/1,2\n":                                      1,
		"a,b,c\nhttp://a.example/1,2\n":                                                    1,
		"http://a.example/?q={\"a\":1,\"b\":2}\nhttp://a.example/?q=[\"a\",\"b\",\"c\"]\n": 2,
	} {
		seeds, bad, err := seed.Read(strings.NewReader(text), "list", frontier.ParseURL)
		if err != nil || len(seeds) != want || len(seeds)+len(bad) != strings.Count(text, "\n") {
			t.Errorf("%q: seeds %v, bad %v, error %v; want %d seeds", text, seeds, bad, err, want)
		}
	}
}

// What is wrong with an object is said without the names of Go.
func TestParse_SaysWhatIsWrong(t *testing.T) {
	for line, want := range map[string]string{
		"7;http://a.example/;Home":                    "a line of a table: ",
		"Home, https://a.example/":                    "more than one",
		"https;//a.example/":                          "not an absolute URL",
		"http://a.exa\x00\x00\x00":                    "a zero byte",
		`{"url":1}`:                                   "url cannot be a JSON number: the keys are ",
		`{"url":"http://a.example/","depth":"2"}`:     "depth cannot be a JSON string: ",
		`{"url":"http://a.example/","depth":1.5}`:     "depth cannot be 1.5: ",
		`{"url":"http://a.example/","priority":1000}`: "priority cannot be 1000: ",
	} {
		if _, err := seed.Parse(line, frontier.ParseURL); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}

// Whatever is read is written as it was, and read again the same.
func FuzzParse(f *testing.F) {
	f.Add(`{"url":"http://a.example/","note":"x\u0000","depth":1}`)
	f.Add("http://a.example/")
	f.Fuzz(func(t *testing.T, line string) {
		s, err := seed.Parse(line, frontier.ParseURL)
		if err != nil {
			return
		}
		again, err := seed.Parse(s.String(), frontier.ParseURL)
		if err != nil || again != s {
			t.Fatalf("%q: %+v, written and read again %+v, %v", line, s, again, err)
		}
	})
}
