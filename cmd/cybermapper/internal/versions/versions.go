package versions

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// MaxVersions bounds the versions that are kept of one origin.
const MaxVersions = 1000

// A Version is what the requests for one robots.txt brought as long as they brought the same.
type Version struct {
	Origin  string         `json:"origin"`
	Outcome robots.Outcome `json:"outcome"`          // found, unavailable or unreachable
	Status  int            `json:"status,omitempty"` // of the first answer
	Error   string         `json:"error,omitempty"`  // of the first answer
	Digest  string         `json:"digest,omitempty"`
	Size    int64          `json:"size,omitempty"` // in bytes
	File    string         `json:"file,omitempty"` // in the job directory
	First   time.Time      `json:"first"`          // when it was seen
	Last    time.Time      `json:"last"`
	Seen    int            `json:"seen"` // how often
}

// A History is how the rules of a site changed.
type History struct {
	Versions []Version // by origin, then in the order of time
	Earlier  int       // that were left out

	dir     string // of the bodies
	product string
	dialect robots.Dialect
}

// Read gathers the history of a site, by its key; it is empty when robots.txt was never asked for.
func Read(v *job.View, site string) (*History, error) {
	c, err := config.Read(v.Path(job.ConfigFile))
	if err != nil {
		return nil, fmt.Errorf("read job configuration: %w", err)
	}
	h := &History{dir: v.Path(job.RobotsDir), product: c.Agent.Product}
	if h.dialect, err = robots.ParseDialect(c.Robots.Dialect); err != nil {
		return nil, fmt.Errorf("read job configuration: %w", err)
	}
	origins := []string{"http://" + site, "https://" + site}
	fetches := ledger.ReadOptions{
		Types: []ledger.Type{ledger.Request}, Purposes: []string{string(crawler.ForRobots)}, Origins: origins,
		In: v.Contents().Select(ledger.OfRobots(origins[0]), ledger.OfRobots(origins[1])),
	}
	of := map[string][]Version{}
	for r, err := range ledger.ReadSound(v.Path(job.LedgerDir), fetches) {
		if err != nil {
			return nil, fmt.Errorf("read ledger: %w", err)
		}
		h.add(of, r)
	}
	for _, origin := range slices.Sorted(maps.Keys(of)) {
		h.Versions = append(h.Versions, of[origin]...)
	}
	return h, nil
}

// add takes in a request for robots.txt that told something.
func (h *History) add(of map[string][]Version, r ledger.Record) {
	outcome := robots.Outcome(r.Outcome)
	told := outcome == robots.Found || outcome == robots.Unavailable || outcome == robots.Unreachable
	if !told {
		return
	}
	list := of[r.Origin]
	if n := len(list); n > 0 && list[n-1].Outcome == outcome && list[n-1].Digest == r.Digest &&
		(outcome == robots.Found || list[n-1].Status == r.Status) {
		list[n-1].Last = r.End
		list[n-1].Seen++
		return
	}
	v := Version{Origin: r.Origin, Outcome: outcome, Status: r.Status, Error: r.ErrorText, Digest: r.Digest, First: r.End,
		Last: r.End, Seen: 1}
	if v.File = job.RobotsFile(r.Digest); v.File != "" {
		if info, err := os.Stat(path.Join(h.dir, path.Base(v.File))); err == nil {
			v.Size = info.Size()
		}
	}
	if len(list) == MaxVersions {
		list = append(list[:0], list[1:]...)
		h.Earlier++
	}
	of[r.Origin] = append(list, v)
}

// Dialect is how the crawl reads the files.
func (h *History) Dialect() robots.Dialect { return h.dialect }

// Body returns the file of a version; nil when it had none.
func (h *History) Body(v Version) ([]byte, error) {
	if v.Digest == "" {
		return nil, nil
	}
	return robots.DirBodies(h.dir).Get(v.Digest)
}

// Rules reads a version as the crawl does that the job is configured for.
func (h *History) Rules(v Version) (*robots.Rules, error) {
	switch v.Outcome {
	case robots.Unavailable:
		return robots.AllowAll(robots.ReasonUnavailable), nil
	case robots.Unreachable:
		return robots.DenyAll(robots.ReasonUnreachable), nil
	}
	body, err := h.Body(v)
	if err != nil {
		return nil, err
	}
	return robots.Parse(body, h.dialect).RulesFor(v.Origin, h.product), nil
}

// Now returns the latest version of an origin.
func (h *History) Now(origin string) (Version, bool) {
	for _, v := range slices.Backward(h.Versions) {
		if v.Origin == origin {
			return v, true
		}
	}
	return Version{}, false
}

// A Verdict is what a version says of a path.
type Verdict struct {
	Version
	Verdict robots.Verdict `json:"verdict"`
}

// Verdicts tells what each version of an origin said of a path, leaving out those that allow or forbid it as the one before did,
// and the times at which there was no answer.
func (h *History) Verdicts(origin, pathQuery string) ([]Verdict, error) {
	var all []Verdict
	for _, v := range h.Versions {
		if v.Origin != origin || v.Outcome == robots.Unreachable {
			continue
		}
		rules, err := h.Rules(v)
		if err != nil {
			return nil, err
		}
		said := rules.Test(pathQuery)
		if n := len(all); n > 0 && all[n-1].Verdict.Allowed == said.Allowed {
			all[n-1].Last = v.Last
			continue
		}
		all = append(all, Verdict{v, said})
	}
	return all, nil
}
