package main

import (
	"os"
	"regexp"
	"testing"
)

// The unit does not hide by which start of the machine a run was: without that, a wall clock set forward while the service rests
// ends what sites have asked for with Retry-After.
func TestUnit_TellsStartsOfTheMachineApart(t *testing.T) {
	unit, err := os.ReadFile("../../.github/packaging/cybermapper@.service")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^ExecStart=`).Match(unit) {
		t.Error("the unit starts nothing")
	}
	if line := regexp.MustCompile(`(?m)^ProcSubset=pid$`).Find(unit); line != nil {
		t.Errorf("%s hides /proc/sys/kernel/random/boot_id", line)
	}
}
