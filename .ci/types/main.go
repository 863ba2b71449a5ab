// Command types checks that all packages of the module in the working directory, their tests and what they import can be compiled
// for another system, without compiling them, which takes ten times as long.
//
//	go build -C .ci/types -o /tmp/types . && GOOS=windows /tmp/types
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	list, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Tests: true}, "./...")
	if err != nil {
		fmt.Fprintln(os.Stderr, "types: load the packages:", err)
		os.Exit(2)
	}
	if packages.PrintErrors(list) > 0 {
		os.Exit(1)
	}
	fmt.Println(len(list), "packages, with those of tests")
}
