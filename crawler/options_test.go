package crawler

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"testing"
)

// Promise 6: every limit has a name and a default, by one rule: zero is a default, negative is none, and the default where the
// comment says "always".
func TestOptions_OneRule(t *testing.T) {
	always := fieldsSaying(t, "always", "config.go", "trap.go", "sitemap.go")
	if len(always) < 5 {
		t.Fatalf("only %d fields say always; the test reads the wrong comments", len(always))
	}
	for name, complete := range map[string]func(set func(reflect.Value)) reflect.Value{
		"Politeness": completed(Politeness.withDefaults),
		"Limits":     completed(Limits.withDefaults),
		"Traps":      completed(Traps.withDefaults),
		"Sitemaps":   completed(Sitemaps.withDefaults),
	} {
		whole := complete(func(reflect.Value) {})
		for i := range whole.NumField() {
			field, key := whole.Type().Field(i), name+"."+whole.Type().Field(i).Name
			if !isNumber(field.Type) {
				continue
			}
			negative := number(complete(func(v reflect.Value) { setNumber(v.Field(i), -1) }).Field(i))
			want := 0.0
			if always[key] {
				want = number(whole.Field(i))
			}
			if negative != want {
				t.Errorf("%s: -1 is read as %v, want %v (always: %v)", key, negative, want, always[key])
			}
			if kept := number(complete(func(v reflect.Value) { setNumber(v.Field(i), 1) }).Field(i)); kept != 1 {
				t.Errorf("%s: 1 is read as %v", key, kept)
			}
		}
	}
}

// completed returns a function that makes options, lets set change them, and completes them with their defaults.
func completed[T any](withDefaults func(T) T) func(set func(reflect.Value)) reflect.Value {
	return func(set func(reflect.Value)) reflect.Value {
		var options T
		set(reflect.ValueOf(&options).Elem())
		return reflect.ValueOf(withDefaults(options))
	}
}

func isNumber(t reflect.Type) bool {
	return t.Kind() == reflect.Int || t.Kind() == reflect.Int64 || t.Kind() == reflect.Float64
}

func number(v reflect.Value) float64 { return v.Convert(reflect.TypeFor[float64]()).Float() }

func setNumber(v reflect.Value, n float64) { v.Set(reflect.ValueOf(n).Convert(v.Type())) }

// fieldsSaying returns the fields of structs, as Type.Field, whose comment has a word.
func fieldsSaying(t *testing.T, word string, files ...string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			structure, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, f := range structure.Fields.List {
				for _, id := range f.Names {
					if strings.Contains(f.Comment.Text(), word) {
						found[spec.Name.Name+"."+id.Name] = true
					}
				}
			}
			return true
		})
	}
	return found
}
