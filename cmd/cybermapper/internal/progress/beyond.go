package progress

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/crawler"
)

// A Beyond is a site beyond the scope that links lead to.
type Beyond struct {
	Site  string `json:"site"`
	Links int64  `json:"links"`
}

// Redirects counts those of the pages of a run. Where they lead is new as well, though no page may have a link.
func Redirects(run crawler.Counts) (n int64) {
	for code, answers := range run.Codes {
		if code/100 == 3 && code != http.StatusNotModified {
			n += answers
		}
	}
	return n
}

// shownBeyond is how many of them a summary names.
const shownBeyond = 3

func printBeyond(w io.Writer, r *Report, in translate.Language) {
	if len(r.Beyond) == 0 {
		return
	}
	var sites []string
	for _, b := range r.Beyond[:min(len(r.Beyond), shownBeyond)] {
		sites = append(sites, fmt.Sprintf("%s (%d)", b.Site, b.Links))
	}
	if len(r.Beyond) > shownBeyond {
		sites = append(sites, "...")
	}
	printRow(w, "", in.Say("none leads on; these sites are out of scope: %s", strings.Join(sites, ", ")))
	printRow(w, "", in.Say("as seeds they are visited; --scope any visits all"))
	printRow(w, "", in.Say("links that only scripts make are not seen: more seeds or --sitemaps lead there"))
}
