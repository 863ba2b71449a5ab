package pages

import (
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/storage"
)

// TestIsASCIIName: of which kind the name of a file is can be told for all versions of a page, also where both look the same.
func TestIsASCIIName(t *testing.T) {
	digest := storage.DigestOf([]byte("a"))
	for _, path := range []string{"%D1%8F", "%D0%AF.html", strings.Repeat("long", 25) + "%D1%8F"} {
		url := "https://e.example/" + path
		for name, want := range map[string]bool{FileName(url): false, ASCIIFileName(url): true} {
			for _, file := range []string{name, laterName(name, digest)} {
				if IsASCIIName(file, url, digest) != want {
					t.Errorf("%s is not of the kind that it is", file)
				}
			}
		}
	}
}
