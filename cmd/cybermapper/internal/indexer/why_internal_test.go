package indexer

import (
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/explain"
	"github.com/cybermapper/cybermapper/storage/index"
)

// What an answer tells one to type names the job, and a shell runs nothing that is in the URL.
func TestAnswer_PrintNamesTheJob(t *testing.T) {
	var b strings.Builder
	a := Answer{URL: "https://example.org/?a=1&b=$(reboot)", Known: true, Crawl: &explain.Explanation{}, dir: "big"}
	a.Print(&b)
	if want := "more      cybermapper explain --job big 'https://example.org/?a=1&b=$(reboot)'\n"; !strings.Contains(b.String(), want) {
		t.Errorf("no %q in\n%s", want, b.String())
	}
}

// Ensure that a page which the index refuses as gone or moved is still so until an answer brings it or says otherwise, and is not
// waited for when 403, or nothing at all, came after that.
func TestStillSo(t *testing.T) {
	for _, tt := range []struct {
		why   index.Reason
		still []int
		not   []int
	}{
		{index.Gone, []int{0, 202, 204, 300, 302, 401, 403, 404, 410, 500}, []int{200, 203, 301, 304, 308}},
		{index.Moved, []int{0, 202, 204, 300, 301, 302, 308, 403, 500}, []int{200, 304, 404, 410}},
		{index.NoIndex, []int{0, 200, 304, 403, 404}, nil},
	} {
		for _, code := range tt.still {
			if !stillSo(tt.why, code) {
				t.Errorf("%s is not so after %d", tt.why, code)
			}
		}
		for _, code := range tt.not {
			if stillSo(tt.why, code) {
				t.Errorf("%s is still so after %d", tt.why, code)
			}
		}
	}
}
