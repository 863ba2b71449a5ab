package serve

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/explain"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/versions"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/index"
)

// A whyView tells of one URL why it was fetched or was not, and whether a search can find it.
type whyView struct {
	Asked    string // as typed
	Problem  string
	URL      string
	Site     string
	Standing *index.Standing
	Text     string // the explanation as the command prints it
}

// explainURL explains the URL that was asked for. The problem is what the one who asked can mend.
func (s *Server) explainURL(ctx context.Context, j *shown, asked string) (e *explain.Explanation, site, problem string, err error) {
	u, err := cli.ParseURL(asked)
	if err != nil {
		return nil, "", "That is no URL of a page: " + say.Printable(err.Error()), nil
	}
	v, err := job.Look(j.dir)
	if err != nil {
		return nil, "", "", err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	e, err = explain.URL(ctx, v, u)
	return e, u.Site(), "", err
}

func (s *Server) explainPage(w http.ResponseWriter, r *http.Request, j *shown) {
	v := whyView{Asked: strings.TrimSpace(r.URL.Query().Get("url"))}
	if v.Asked != "" {
		ctx, done, ok := s.much(w, r, s.o.MaxTime)
		if !ok {
			return
		}
		defer done()
		e, site, problem, err := s.explainURL(ctx, j, v.Asked)
		if err == nil && e != nil {
			v.Standing, err = j.standing(ctx, e.URL)
		}
		if err != nil {
			s.broken(w, r, err)
			return
		}
		v.Problem, v.Site = problem, site
		if e != nil {
			var text strings.Builder
			e.Print(&text)
			v.URL, v.Text = e.URL, text.String()
		}
	}
	s.show(w, r, http.StatusOK, "explain.tmpl", view{Title: "Why?", Here: "explain", Job: j.name, Data: v})
}

func (s *Server) apiExplain(w http.ResponseWriter, r *http.Request, j *shown) {
	ctx, done, ok := s.much(w, r, s.o.MaxTime)
	if !ok {
		return
	}
	defer done()
	e, _, problem, err := s.explainURL(ctx, j, r.URL.Query().Get("url"))
	if err != nil {
		s.broken(w, r, err)
		return
	}
	if problem != "" {
		s.fail(w, r, http.StatusBadRequest, problem)
		return
	}
	standing, err := j.standing(ctx, e.URL)
	if err != nil {
		s.broken(w, r, err)
		return
	}
	answerJSON(w, http.StatusOK, map[string]any{"crawl": e, "index": standing})
}

// A siteView tells how a site stands, and what its robots.txt says of a path.
type siteView struct {
	Site  string
	Known bool
	Path  string // that the rules are tried with; empty for none
	Text  string
	Files []robotsFile
}

// A robotsFile is the robots.txt of an origin in force.
type robotsFile struct {
	Origin  string
	Version versions.Version
	Lines   []robotsLine
	Verdict *robots.Verdict // of the path
	Cut     bool            // there are more lines
}

type robotsLine struct {
	Text    string
	Decides bool
}

// maxLines bounds the lines of a robots.txt that a page shows.
const maxLines = 2000

func (s *Server) site(w http.ResponseWriter, r *http.Request, j *shown, use func(*siteView, *explain.SiteReport)) {
	ctx, done, ok := s.much(w, r, s.o.MaxTime)
	if !ok {
		return
	}
	defer done()
	q := r.URL.Query()
	name, err := cli.ParseSite(strings.TrimSpace(q.Get("host")))
	if err != nil {
		s.fail(w, r, http.StatusBadRequest, "That is no host: "+say.Printable(err.Error()))
		return
	}
	v := &siteView{Site: name, Path: q.Get("path")}
	look, err := job.Look(j.dir)
	if err != nil {
		s.broken(w, r, err)
		return
	}
	report, known, err := explain.Site(ctx, look, name)
	if err == nil {
		v.Known = known
		v.Files, err = robotsFiles(look, name, v.Path)
	}
	if err := errors.Join(err, look.Close()); err != nil {
		s.broken(w, r, err)
		return
	}
	use(v, report)
}

// robotsFiles are the robots.txt files of a site in force, with the line that decides on a path.
func robotsFiles(look *job.View, site, path string) ([]robotsFile, error) {
	history, err := versions.Read(look, site)
	if err != nil {
		return nil, err
	}
	var origins []string
	for _, v := range history.Versions {
		if !slices.Contains(origins, v.Origin) {
			origins = append(origins, v.Origin)
		}
	}
	var list []robotsFile
	for _, origin := range origins {
		version, _ := history.Now(origin)
		f := robotsFile{Origin: origin, Version: version}
		rules, err := history.Rules(version)
		if err != nil {
			return nil, err
		}
		if path != "" {
			verdict := rules.Test(path)
			f.Verdict = &verdict
		}
		body, err := history.Body(version)
		if err != nil {
			return nil, err
		}
		number := 0
		for line := range strings.Lines(string(body)) {
			if number++; number > maxLines {
				f.Cut = true
				break
			}
			line = say.Clip(strings.TrimRight(line, "\r\n"), 300)
			f.Lines = append(f.Lines, robotsLine{Text: line, Decides: f.Verdict != nil && f.Verdict.Line == number})
		}
		list = append(list, f)
	}
	return list, nil
}

func (s *Server) sitePage(w http.ResponseWriter, r *http.Request, j *shown) {
	s.site(w, r, j, func(v *siteView, report *explain.SiteReport) {
		if v.Known {
			var text strings.Builder
			report.Print(&text)
			v.Text = text.String()
		}
		s.show(w, r, http.StatusOK, "site.tmpl", view{Title: v.Site, Here: "live", Job: j.name, Data: v})
	})
}

func (s *Server) apiSite(w http.ResponseWriter, r *http.Request, j *shown) {
	s.site(w, r, j, func(v *siteView, report *explain.SiteReport) {
		if !v.Known {
			s.fail(w, r, http.StatusNotFound, "The job knows nothing of "+say.Printable(v.Site)+".")
			return
		}
		answerJSON(w, http.StatusOK, report)
	})
}
