// Command types checks that all packages of the module in the working directory, and their tests, can be compiled for another
// system, without compiling them and what they import, which takes twenty times as long.
//
//	go build -C .ci/types -o /tmp/types . && GOOS=windows /tmp/types
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	dir, err := os.Getwd()
	if err != nil {
		fail(err)
	}
	list, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax, Tests: true,
		ParseFile: func(set *token.FileSet, name string, text []byte) (*ast.File, error) {
			file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
			if err == nil && !strings.HasPrefix(name, dir+string(os.PathSeparator)) {
				dropBodies(file)
			}
			return file, err
		},
	}, "./...")
	if err != nil {
		fail(err)
	}
	wrong := 0
	for _, p := range list {
		if strings.HasSuffix(p.ID, ".test") { // the program that Go writes to run them
			continue
		}
		for _, err := range p.Errors {
			fmt.Fprintln(os.Stderr, err)
			wrong++
		}
	}
	if wrong > 0 {
		os.Exit(1)
	}
	fmt.Println(len(list), "packages, with those of tests")
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "types: load the packages:", err)
	os.Exit(2)
}

// dropBodies leaves of the functions of another module what callers see: what is in them compiles, or it would not be there.
func dropBodies(file *ast.File) {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			f.Body = nil
		}
	}
}
