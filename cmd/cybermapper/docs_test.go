package main

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// Every package has a doc.go that introduces it, and every exported name a comment.
func TestEverythingIsDocumented(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the sources only")
	}
	introduced := map[string]bool{}
	for _, f := range moduleFiles(t, parser.ParseComments) {
		if f.isTest {
			continue
		}
		if _, ok := introduced[f.pkg]; !ok {
			introduced[f.pkg] = false
		}
		if strings.HasSuffix(f.name, "/doc.go") && len(f.Doc.Text()) > 200 {
			introduced[f.pkg] = true
		}
		if f.Name.Name != "main" {
			for _, name := range undocumented(f.File) {
				t.Errorf("%s: exported %s has no comment", f.name, name)
			}
		}
	}
	for pkg, ok := range introduced {
		if !ok {
			t.Errorf("package %s has no doc.go that says what it is for", pkg)
		}
	}
}

// Each promise of the README has a test that says so above it: "// Promise 3: ...".
func TestReadme_EveryPromiseHasATest(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the sources only")
	}
	_, section, _ := strings.Cut(mustRead(t, "../../README.md"), "# Promises\n")
	section, _, _ = strings.Cut(section, "\n#")
	tests := map[string]int{} // of each promise, by its number
	for _, m := range regexp.MustCompile(`(?m)^(\d+)\. `).FindAllStringSubmatch(section, -1) {
		tests[m[1]] = 0
	}
	if len(tests) != 7 {
		t.Fatalf("README.md lists %d promises, want 7", len(tests))
	}
	named := regexp.MustCompile(`(?m)^// Promise (\d+): `)
	for _, f := range moduleFiles(t, parser.ParseComments) {
		for _, decl := range f.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok || !f.isTest || d.Doc == nil || !strings.HasPrefix(d.Name.Name, "Test") && !strings.HasPrefix(d.Name.Name, "Fuzz") {
				continue
			}
			for _, line := range d.Doc.List {
				m := named.FindStringSubmatch(line.Text)
				if m == nil {
					continue
				}
				if _, ok := tests[m[1]]; !ok {
					t.Errorf("%s: %s names promise %s, which README.md does not make", f.name, d.Name.Name, m[1])
				}
				tests[m[1]]++
			}
		}
	}
	for number, n := range tests {
		if n == 0 {
			t.Errorf("no test says that it holds promise %s of README.md", number)
		}
	}
}

// undocumented lists the exported functions, methods, types, constants and variables of f without a comment. A comment on
// a group counts for all of it.
func undocumented(f *ast.File) []string {
	var names []string
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && exportedReceiver(d) && d.Doc == nil && !isConventional(d) {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			if d.Tok != token.IMPORT && d.Doc == nil {
				names = append(names, undocumentedSpecs(d)...)
			}
		}
	}
	return names
}

// isConventional reports whether d is a method whose name says it all.
func isConventional(d *ast.FuncDecl) bool {
	switch d.Name.Name {
	case "Error", "Unwrap", "String":
		return d.Recv != nil
	}
	return false
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}

func undocumentedSpecs(d *ast.GenDecl) []string {
	var names []string
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc == nil && s.Comment == nil {
				names = append(names, s.Name.Name)
			}
		case *ast.ValueSpec:
			for _, n := range s.Names {
				if n.IsExported() && s.Doc == nil && s.Comment == nil {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

// Every public package shows how it is used, in an example that the tests run.
func TestEveryPublicPackageHasARunnableExample(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the sources only")
	}
	shown := map[string]bool{}
	tests := map[string][]*ast.File{}
	for _, f := range moduleFiles(t, parser.ParseComments) {
		switch {
		case f.isTest:
			tests[f.pkg] = append(tests[f.pkg], f.File)
		case f.Name.Name != "main" && !strings.Contains("/"+f.pkg, "/internal/"):
			shown[f.pkg] = false
		}
	}
	for pkg := range shown {
		for _, e := range doc.Examples(tests[pkg]...) {
			if e.Output != "" || e.EmptyOutput {
				shown[pkg] = true
			}
		}
		if !shown[pkg] {
			t.Errorf("package %s has no example with an Output comment", pkg)
		}
	}
}
