package clocktest_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/frontier/clocktest"
)

func Example() {
	dir, err := os.MkdirTemp("", "clock")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	overlay, err := clocktest.WriteOverlay(dir) // for go build -overlay
	if err != nil {
		panic(err)
	}
	of, _ := os.ReadFile(overlay)
	fmt.Println("time.Now is replaced:", strings.Contains(string(of), "time.go"))

	variable := clocktest.Steps(clocktest.Step{In: time.Minute, By: -time.Hour}) // for the environment of what was built
	name, _, _ := strings.Cut(variable, "=")
	fmt.Println("the program is told by", name)
	// Output:
	// time.Now is replaced: true
	// the program is told by CLOCK_STEPS
}
