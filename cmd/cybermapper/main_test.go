package main

import (
	"testing"
)

// BenchmarkStart measures a whole process that does nothing: what every use of the command pays.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		if err := process(b, "version").Run(); err != nil {
			b.Fatal(err)
		}
	}
}
