package crawler_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler"
)

// Ensure that a reason belongs to the gate that the code of this package gives it to.
func TestReason_Gate(t *testing.T) {
	constants := map[string]string{} // the value of each, by name
	var files []*ast.File
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	each(files, func(n ast.Node) {
		if v, ok := n.(*ast.ValueSpec); ok && len(v.Names) == 1 && len(v.Values) == 1 {
			if text, ok := v.Values[0].(*ast.BasicLit); ok {
				constants[v.Names[0].Name] = strings.Trim(text.Value, `"`)
			}
		}
	})
	refusals := 0
	each(files, func(n ast.Node) {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return
		}
		gate, reason := constants[field(lit, "Gate")], constants[field(lit, "Reason")]
		if gate == "" || reason == "" {
			return
		}
		refusals++
		if got := crawler.Reason(reason).Gate(); string(got) != gate {
			t.Errorf("%s is of gate %q, and refused by %q", reason, got, gate)
		}
	})
	if refusals < 20 {
		t.Errorf("only %d refusals found", refusals)
	}
	for _, r := range []crawler.Reason{crawler.ReasonTimeout, crawler.ReasonDNS, crawler.EndDone} {
		if got := r.Gate(); got != "" {
			t.Errorf("%s is of gate %q", r, got)
		}
	}
}

func each(files []*ast.File, do func(ast.Node)) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			do(n)
			return true
		})
	}
}

// field returns the name that is given to a field; empty when there is none.
func field(lit *ast.CompositeLit, name string) string {
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == name {
				if value, ok := kv.Value.(*ast.Ident); ok {
					return value.Name
				}
			}
		}
	}
	return ""
}
