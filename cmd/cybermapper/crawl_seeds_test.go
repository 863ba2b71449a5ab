package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
)

func TestReadSeeds(t *testing.T) {
	text := "\ufeffhttp://a.example/\r\n" +
		"# a comment\n" +
		"\n" +
		"  HTTP://B.example:80/x#frag \n" +
		"b.example\n" +
		"ftp://c.example/\n" +
		"http://d.example/" + strings.Repeat("x", seed.MaxLine) + "\n" +
		"http://e.example/" // no newline at the end
	seeds, bad, err := seed.Read(strings.NewReader(text), "seeds.txt", cli.ParseURL)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(seeds)
	if want := "[http://a.example/ http://b.example/x http://e.example/]"; got != want {
		t.Errorf("seeds %s, want %s", got, want)
	}
	if len(bad) != 3 {
		t.Fatalf("bad lines %q, want 3", bad)
	}
	for i, want := range []string{`seeds.txt:5: "b.example" has no scheme`, `seeds.txt:6: "ftp://c.example/"`, "seeds.txt:7: longer than 65536 bytes"} {
		if !strings.HasPrefix(bad[i].String(), want) {
			t.Errorf("bad line %q, want %q", bad[i], want)
		}
	}
}
