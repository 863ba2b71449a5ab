// Package notices holds the licences and notices of all that is linked into the program, which most of them want to be passed on
// with it.
//
// notices.txt is made from the modules themselves, and a test fails when one is missing:
//
//	go test ./cmd/cybermapper/internal/notices -update
package notices

import _ "embed"

// Text has each licence once, below the paths of the modules that are under it.
//
//go:embed notices.txt
var Text string
