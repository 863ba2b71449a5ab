package main

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxComment is how many columns a line with a comment may take, a tab counting for four.
const maxComment = 132

// wideYet are the folders in which comments are wider for now. Take one out when it holds no more; add none.
var wideYet = []string{
	"cmd/cybermapper", "cmd/cybermapper/internal/audit", "cmd/cybermapper/internal/engine", "crawler", "crawler/extract",
	"robots/accesslog", "robots/accesslog/audit", "robots/accesslog/owner", "robots/accesslog/signature", "robots/accesslog/strain",
	"robots/roster",
}

// Comments are read in columns, side by side with other things.
func TestDocs_CommentsFitTheWidth(t *testing.T) {
	for _, f := range moduleFiles(t, 0) {
		if slices.Contains(wideYet, f.pkg) || ast.IsGenerated(f.File) {
			continue
		}
		src, err := os.ReadFile(filepath.Join(moduleRoot, f.name))
		if err != nil {
			t.Fatal(err)
		}
		for n, width := range wideComments(src) {
			t.Errorf("%s:%d: the line with this comment takes %d columns, more than %d", f.name, n, width, maxComment)
		}
	}
}

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
			line := strings.ReplaceAll(lines[n-1], "\t", "    ")
			if width := utf8.RuneCountInString(line); width > maxComment {
				wide[n] = width
			}
		}
	}
}
