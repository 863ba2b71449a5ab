package progress

import (
	"fmt"
	"io"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
)

// A Beyond is a site beyond the scope that links lead to.
type Beyond struct {
	Site  string `json:"site"`
	Links int64  `json:"links"`
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
