package report

import (
	"net/url"
	"path"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/frontier"
)

// maxFiles bounds the files of the ledger that are linked to one by one: the first ones.
const maxFiles = 10

// maxQuestions bounds the commands that are suggested for single URLs.
const maxQuestions = 6

// A link leads to a file of the job.
type link struct{ Name, Link string }

// LedgerFiles are links to the files of the ledger.
func (v view) LedgerFiles() []link {
	var links []link
	for _, name := range v.FileNames {
		links = append(links, link{name, v.link(job.LedgerDir, name)})
	}
	return links
}

// Pages, List, Ledger, RobotsDir and Machine are links to the evidence.
func (v view) Pages() string     { return v.link(job.PagesDir) + "/" }
func (v view) List() string      { return v.link(job.PagesDir, "pages.jsonl") }
func (v view) Ledger() string    { return v.link(job.LedgerDir) + "/" }
func (v view) RobotsDir() string { return v.link(job.RobotsDir) + "/" }
func (v view) Machine() string   { return v.link(job.ReportFile) }

// Page links to a stored page.
func (v view) Page(file string) string { return v.link(job.PagesDir, file) }

// RobotsFile links to a robots.txt by its digest; it is empty when there is none.
func (v view) RobotsFile(digest string) string {
	name, ok := strings.CutPrefix(digest, "sha256:")
	if !ok || strings.Trim(name, "0123456789abcdef") != "" {
		return ""
	}
	return v.link(job.RobotsDir, name)
}

// link returns a relative link to what lies in the job.
func (v view) link(names ...string) string {
	u := url.URL{Path: path.Join(append([]string{v.base}, names...)...)}
	return u.String() // with ./ before a first name that has a colon
}

// Questions are commands that tell more of what stands out: the closest pause, what failed, what was refused.
func (v view) Questions() []string {
	var lines []string
	ask := func(u string) {
		if frontier.SiteOf(u) == "" || strings.HasSuffix(u, "…") || len(lines) >= maxQuestions {
			return
		}
		lines = append(lines, v.Command("explain", u))
	}
	if len(v.Politeness.Worst) > 0 {
		ask(v.Politeness.Worst[0].URL)
	}
	for _, m := range v.Requests.Troubled[:min(2, len(v.Requests.Troubled))] {
		ask(m.URL)
	}
	for _, r := range v.Refusals.Rows {
		ask(r.Sample)
	}
	return lines
}

// Command is a command line for the job.
func (v view) Command(name string, args ...string) string {
	line := "cybermapper " + name + " --job " + say.Argument(v.Job)
	for _, a := range args {
		line += " " + say.Argument(a)
	}
	return line
}
