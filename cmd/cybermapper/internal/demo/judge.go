package demo

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/demosite"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// verdicts compares what a polite crawler does with what the servers of the demo saw and what the job holds.
type verdicts struct {
	w     io.Writer
	in    translate.Language
	web   *demosite.Web
	hits  []demosite.Hit
	pages map[string]pages.Line // by URL
	bad   int
}

func newVerdicts(w io.Writer, web *demosite.Web, dir string, in translate.Language) (*verdicts, error) {
	v := &verdicts{w: w, in: in, web: web, hits: web.Hits(), pages: map[string]pages.Line{}}
	for line, err := range pages.Read(filepath.Join(dir, job.PagesDir)) {
		if err != nil {
			return nil, fmt.Errorf("read pages: %w", err)
		}
		v.pages[line.FinalURL] = line
	}
	return v, nil
}

// judge prints a verdict on every lesson and every promise.
func (v *verdicts) judge(c config.Config) {
	fmt.Fprintf(v.w, "\n%s\n\n", v.in.Say("What the servers saw, and what was stored"))
	for _, s := range v.web.Sites {
		for _, l := range s.Lessons {
			v.lesson(s, l)
		}
	}
	first := 0
	for _, s := range v.web.Sites {
		if firstHit(v.hits, s) == "/robots.txt" {
			first++
		}
	}
	v.check(first == len(v.web.Sites),
		v.in.Say("robots.txt was the first thing asked for at %d of %d sites", first, len(v.web.Sites)))
	v.pause("", time.Duration(c.Politeness.Delay), v.in.Say("the configuration asks for %s", c.Politeness.Delay))
	v.pause("unhurried", 2*time.Second, v.in.Say("its robots.txt, line 2, asks for %s", config.Duration(2*time.Second)))
}

func (v *verdicts) check(good bool, text string) {
	mark := "ok "
	if !good {
		mark = "BAD"
		v.bad++
	}
	fmt.Fprintf(v.w, "%s  %s\n", mark, text)
}

func (v *verdicts) lesson(s *demosite.Site, l demosite.Lesson) {
	asked := countHits(v.hits, s, l.Path)
	why := v.in.Text(l.Why)
	if l.Says != "" {
		why += v.in.Say("; stored with it: %s", l.Says)
	}
	did := v.in.Say("not asked for")
	if asked > 0 {
		did = v.in.Say("asked for")
	}
	line, stored := v.pages[strings.TrimSuffix(s.URL, "/")+l.Path]
	kept := true
	switch l.Kept {
	case demosite.KeepPage:
		kept = stored && line.SameAs == ""
	case demosite.KeepNot:
		kept = !stored
	case demosite.KeepOnce:
		kept = stored && line.SameAs != ""
	}
	if l.Says != "" {
		kept = kept && l.Says == lineSays(line)
	}
	v.check((asked > 0) == l.Asked && kept,
		fmt.Sprintf("%-10s  %s  %s  %s", s.Name, say.Pad(say.Shorten(l.Path, 32), 32), say.Pad(did, 13), why))
}

// lineSays writes what is stored with a page about its use, whose copy it is, and how long it lasts.
func lineSays(l pages.Line) string {
	var uses []string
	for _, use := range slices.Sorted(maps.Keys(l.Uses)) {
		uses = append(uses, use+"="+l.Uses[use])
	}
	text := strings.Join(uses, " ")
	if l.MirrorOf != "" {
		text += ", mirror of " + l.MirrorOf
	}
	if l.DocumentState != "" {
		text += ", " + l.DocumentState
	}
	return text
}

// pause judges the shortest pause at a site, or at all of them.
func (v *verdicts) pause(name string, owed time.Duration, who string) {
	where := cmp.Or(name, v.in.Say("any site"))
	gap, at := smallestGap(v.hits, name)
	v.check(gap >= owed, v.in.Say("the shortest pause at %s was %s (before %s); %s", where, say.Span(gap), at, who))
}

func countHits(hits []demosite.Hit, s *demosite.Site, path string) (n int) {
	prefix, wild := strings.CutSuffix(path, "*")
	for _, h := range hits {
		if h.Site == s && h.Path != "/robots.txt" && (h.Path == path || wild && strings.HasPrefix(h.Path, prefix)) {
			n++
		}
	}
	return n
}

func firstHit(hits []demosite.Hit, s *demosite.Site) string {
	for _, h := range hits {
		if h.Site == s {
			return h.Path
		}
	}
	return ""
}

// smallestGap returns the shortest time between the end of a request and the start of the next to the same site, and the
// path of the latter. An empty name means all sites.
func smallestGap(hits []demosite.Hit, name string) (gap time.Duration, path string) {
	ends := map[*demosite.Site]time.Time{}
	for _, h := range hits {
		if name != "" && h.Site.Name != name {
			continue
		}
		if end, ok := ends[h.Site]; ok && (path == "" || h.Start.Sub(end) < gap) {
			gap, path = h.Start.Sub(end), h.Path
		}
		ends[h.Site] = h.End
	}
	return gap, path
}
