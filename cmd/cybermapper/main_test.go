package main

import (
	"os"
	"os/exec"
	"testing"
)

// BenchmarkStart measures a whole process that does nothing: what every use of the command pays.
func BenchmarkStart(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		cmd := exec.Command(self, "version")
		cmd.Args[0] = "cybermapper" // what TestMain tells the command from the tests by
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
}
