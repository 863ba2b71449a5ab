//go:build !linux

package pages

import "os"

// spread does nothing: only ext4 is known to need it.
func spread(*os.File) {}
