package warc_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/warc"
)

// Ensure that the lines of a key are those that reading the whole index finds.
func TestLookup(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 24 {
		var lines []string
		listed := map[string][]int64{}
		for i := range n * n / 2 {
			url := "http://a.example/" + strings.Repeat("x", rng.IntN(3)*rng.IntN(1500)) + fmt.Sprint(rng.IntN(1+n))
			c := warc.Capture{Key: warc.SURT(url), URL: url, Time: noon.Add(time.Duration(i) * time.Second), Offset: int64(i)}
			lines = append(lines, string(c.AppendTo(nil))+"\n")
			listed[c.Key] = append(listed[c.Key], c.Offset)
		}
		slices.SortFunc(lines, cmp.Compare[string])
		name := filepath.Join(t.TempDir(), "a.cdxj")
		filetest.Write(t, name, strings.Join(lines, ""))
		for _, other := range []string{"", "example,a)/", "example,a)/x", "zz"} {
			listed[other] = nil
		}
		for key, want := range listed {
			var got []int64
			for c, err := range warc.Lookup(name, key) {
				if err != nil || c.Key != key {
					t.Fatalf("%d lines, %.40q: %q, %v", len(lines), key, c.Key, err)
				}
				got = append(got, c.Offset)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%d lines, %.40q: %d, want %d", len(lines), key, got, want)
			}
		}
	}
}

func TestLookup_NoIndex(t *testing.T) {
	for name, text := range map[string]string{
		"no time":        "example,a)/ {}\n",
		"no JSON":        "example,a)/ 20261122120000 {\n",
		"too long":       "example,a)/ " + strings.Repeat("2", 2<<20) + "\n",
		"does not exist": "",
	} {
		file := filepath.Join(t.TempDir(), "a.cdxj")
		if text != "" {
			filetest.Write(t, file, text)
		}
		var last error
		for _, err := range warc.Lookup(file, "example,a)/") {
			last = err
		}
		if last == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
