package lint_test

import (
	"fmt"

	"github.com/cybermapper/cybermapper/robots/lint"
)

func Example() {
	file := []byte("User-agent: *\nDisallow: tmp/ # soon gone\nDisalow: logs\n")
	for _, f := range lint.File(file, lint.Options{}).Findings {
		fmt.Printf("line %d: %s: %s\n", f.Line, f.Severity, f.Code)
	}
	fmt.Printf("\n%s", lint.Fix(file, lint.Options{}))
	// Output:
	// line 2: error: missing-slash
	// line 3: error: misspelt-field
	//
	// User-agent: *
	// Disallow: /tmp/ # soon gone
	// Disallow: /logs
}
