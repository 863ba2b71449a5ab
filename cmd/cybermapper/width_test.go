package main

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxWidth is how many columns a line may take, a tab counting for four.
const maxWidth = 132

// Code is read in columns, side by side with other things. Only the code of tests may be wider: tables are read by the row.
func TestDocs_LinesFitTheWidth(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the sources only")
	}
	for _, f := range moduleFiles(t, 0) {
		if ast.IsGenerated(f.File) {
			continue
		}
		src := []byte(mustRead(t, filepath.Join(moduleRoot, f.name)))
		wide := wideLines(src)
		if f.isTest {
			wide = wideComments(src)
		}
		for n, width := range wide {
			t.Errorf("%s:%d: the line takes %d columns, more than %d", f.name, n, width, maxWidth)
		}
	}
}

// wideLines returns the width of the lines of src that are too wide, by their number.
func wideLines(src []byte) map[int]int {
	wide := map[int]int{}
	n := 0
	for line := range strings.Lines(string(src)) {
		n++
		if width := widthOf(strings.TrimSuffix(line, "\n")); width > maxWidth {
			wide[n] = width
		}
	}
	return wide
}

func widthOf(line string) int { return utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")) }

// wideComments returns the width of the lines of src that hold a comment and are too wide, by their number.
func wideComments(src []byte) map[int]int {
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	lines := strings.Split(string(src), "\n")
	wide := map[int]int{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return wide
		}
		if tok != token.COMMENT || strings.HasPrefix(text, "//go:") {
			continue
		}
		first := file.Line(pos)
		for n := first; n <= first+strings.Count(text, "\n"); n++ {
			if width := widthOf(lines[n-1]); width > maxWidth {
				wide[n] = width
			}
		}
	}
}
