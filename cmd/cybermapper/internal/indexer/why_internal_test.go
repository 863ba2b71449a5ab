package indexer

import (
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/explain"
)

// What an answer tells one to type names the job.
func TestAnswer_PrintNamesTheJob(t *testing.T) {
	var b strings.Builder
	a := Answer{URL: "https://example.org/", Known: true, Crawl: &explain.Explanation{}, dir: "big"}
	a.Print(&b)
	if want := "more      cybermapper explain --job big https://example.org/\n"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}
