package extract

import "testing"

// TestRefreshURL follows the steps of the HTML standard, "shared declarative refresh steps".
func TestRefreshURL(t *testing.T) {
	for content, want := range map[string]string{
		"0;url=/x":           "/x",
		" 0 ; URL = /x ":     "/x",
		"0,/x":               "/x",
		"0 /x":               "/x",
		"1.5; url=/x":        "/x",
		".5; url=/x":         "/x",
		"0;url='/x y' z":     "/x y",
		`0;url="/x`:          "/x",
		"0;'/x'":             "/x",
		"0;url":              "url",
		"0;urls":             "urls",
		"0;uRl=":             "",
		"0; up":              "up",
		"0;url==x":           "=x",
		"5":                  "",
		"5;":                 "",
		"":                   "",
		"url=/x":             "",
		"/x":                 "",
		"5x;url=/x":          "",
		"0;\turl\n=\f'/a b'": "/a b",
		"0; url=/x;url=/y":   "/x;url=/y",
		"0;url=/x'y":         "/x'y",
		"-1;url=/x":          "",
		"0;;url=/x":          ";url=/x",
	} {
		if got := refreshURL(content); got != want {
			t.Errorf("refreshURL(%q) = %q, want %q", content, got, want)
		}
	}
}
