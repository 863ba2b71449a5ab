package serve

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/indexer"
	"github.com/cybermapper/cybermapper/storage/index"
)

// hitsPerPage is how many hits a page shows.
const hitsPerPage = 10

// A question is the state of a search page, which is all in its URL.
type question struct {
	Job, Text, Site, Lang, Type, Month string
	Page                               int // from 1
}

func questionOf(r *http.Request, j *shown) question {
	v := r.URL.Query()
	page, err := strconv.Atoi(v.Get("page"))
	if err != nil || page < 1 {
		page = 1
	}
	return question{
		Job: j.name, Text: v.Get("q"), Site: v.Get("site"), Lang: v.Get("lang"), Type: v.Get("type"), Month: v.Get("month"),
		Page: min(page, index.MaxHits/hitsPerPage),
	}
}

// link is the URL of the page with this state.
func (q question) link() string {
	v := url.Values{}
	for key, value := range map[string]string{
		"job": q.Job, "q": q.Text, "site": q.Site, "lang": q.Lang, "type": q.Type, "month": q.Month,
	} {
		if value != "" {
			v.Set(key, value)
		}
	}
	if q.Page > 1 {
		v.Set("page", strconv.Itoa(q.Page))
	}
	return "/?" + v.Encode()
}

// narrowed is the question with one more condition, or without it.
func (q question) narrowed(facet, value string) question {
	q.Page = 1
	switch facet {
	case "site":
		q.Site = value
	case "lang":
		q.Lang = value
	case "type":
		q.Type = value
	case "month":
		q.Month = value
	}
	return q
}

// errMonth says that a question is about a month that there is none.
var errMonth = errors.New("month is not one such as 2026-01")

// query is what the index is asked. The error is errMonth.
func (q question) query() (index.Query, error) {
	query := index.Query{
		Text: q.Text, Site: q.Site, Lang: q.Lang, Type: q.Type, Facets: true,
		Limit: hitsPerPage, Offset: (q.Page - 1) * hitsPerPage,
	}
	if q.Month == "" {
		return query, nil
	}
	t, err := time.Parse("2006-01", q.Month)
	if err != nil {
		return query, errMonth
	}
	query.Since, query.Until = t, t.AddDate(0, 1, 0)
	return query, nil
}

// A searchView is what a search page shows.
type searchView struct {
	question
	*index.Result
	Pages   int    // in the index
	Problem string // why nothing is searched for
	Groups  []facetGroup
	Active  []facetLink // conditions that a click takes away
	DidMean string      // link
	Earlier string      // link to the page before
	Later   string      // link to the next page
	Took    string
}

type facetGroup struct {
	Title string
	Links []facetLink
}

type facetLink struct {
	Label string
	Count int
	Link  string
}

func (s *Server) searchPage(w http.ResponseWriter, r *http.Request, j *shown) {
	q := questionOf(r, j)
	v := searchView{question: q}
	title := "Search"
	if q.Text != "" {
		title = q.Text + " - search"
	}
	status, err := s.search(w, r, j, &v)
	if err != nil {
		s.broken(w, r, err)
		return
	}
	if status != 0 {
		s.show(w, r, status, "search.tmpl", view{Title: title, Here: "search", Job: j.name, Data: v})
	}
}

// search fills v. The status is 0 when the request was answered already.
func (s *Server) search(w http.ResponseWriter, r *http.Request, j *shown, v *searchView) (status int, err error) {
	ctx, done, ok := s.much(w, r, s.o.MaxTime)
	if !ok {
		return 0, nil
	}
	defer done()
	err = j.withIndex(func(x *index.Index) error {
		counts, err := x.Counts(ctx)
		if err != nil {
			return err
		}
		v.Pages = counts.Pages
		if v.Text == "" {
			return nil
		}
		v.Result, err = j.find(ctx, x, v.question)
		return err
	})
	switch {
	case errors.Is(err, errNoIndex):
		v.Problem = "This job has no search index yet. The command \"cybermapper index\" makes one, also while the crawl runs."
	case errors.Is(err, index.ErrNothing):
		v.Problem = "There is nothing to search for in that: words are needed, not only conditions."
	case errors.Is(err, errMonth):
		v.Problem = "Nothing was searched for: the " + err.Error() + "."
	case unusable(err):
		v.Problem = err.Error() + ". " + wayOut(err)
	case err != nil:
		return 0, err
	}
	if v.Result != nil {
		v.arrange()
	}
	return http.StatusOK, nil
}

// find searches, and says besides what the index lacks.
func (j *shown) find(ctx context.Context, x *index.Index, q question) (*index.Result, error) {
	query, err := q.query()
	if err != nil {
		return nil, err
	}
	r, err := x.Search(ctx, query)
	if err != nil {
		return nil, err
	}
	notice, err := indexer.Notice(ctx, x, j.dir)
	if err == nil && notice != "" {
		r.Notices = append(r.Notices, notice)
	}
	return r, err
}

// arrange makes the links of a page with hits.
func (v *searchView) arrange() {
	q := v.question
	for _, c := range []struct{ facet, value string }{{"site", q.Site}, {"lang", q.Lang}, {"type", q.Type}, {"month", q.Month}} {
		if c.value != "" {
			v.Active = append(v.Active, facetLink{Label: c.facet + ": " + c.value, Link: q.narrowed(c.facet, "").link()})
		}
	}
	if f := v.Facets; f != nil {
		for _, g := range []struct {
			facet, title, now string
			values            []index.Facet
		}{
			{"site", "Host", q.Site, f.Hosts},
			{"lang", "Language", q.Lang, f.Langs},
			{"type", "Type", q.Type, f.Types},
			{"month", "Month", q.Month, f.Months},
		} {
			if g.now != "" || len(g.values) < 2 {
				continue
			}
			group := facetGroup{Title: g.title}
			for _, value := range g.values[:min(len(g.values), 12)] {
				if value.Value != "" {
					link := q.narrowed(g.facet, value.Value).link()
					group.Links = append(group.Links, facetLink{Label: value.Value, Count: value.Count, Link: link})
				}
			}
			v.Groups = append(v.Groups, group)
		}
	}
	if v.Suggestion != "" {
		meant := q
		meant.Text, meant.Page = v.Suggestion, 1
		v.DidMean = meant.link()
	}
	if q.Page > 1 {
		before := q
		before.Page--
		v.Earlier = before.link()
	}
	if v.More {
		next := q
		next.Page++
		v.Later = next.link()
	}
	v.Took = fmt.Sprintf("%.0f ms", float64(v.Result.Took.Microseconds())/1000)
}

func (s *Server) apiSearch(w http.ResponseWriter, r *http.Request, j *shown) {
	ctx, done, ok := s.much(w, r, s.o.MaxTime)
	if !ok {
		return
	}
	defer done()
	q := questionOf(r, j)
	var result *index.Result
	err := j.withIndex(func(x *index.Index) (err error) {
		result, err = j.find(ctx, x, q)
		return err
	})
	switch {
	case errors.Is(err, errNoIndex):
		s.fail(w, r, http.StatusNotFound, err.Error())
	case errors.Is(err, index.ErrNothing), errors.Is(err, errMonth):
		s.fail(w, r, http.StatusBadRequest, err.Error())
	case unusable(err):
		s.fail(w, r, http.StatusServiceUnavailable, err.Error()+". "+wayOut(err))
	case err != nil:
		s.broken(w, r, err)
	default:
		answerJSON(w, http.StatusOK, result)
	}
}

// unusable reports whether an index cannot be asked, so that nothing is known of it.
func unusable(err error) bool {
	return errors.Is(err, index.ErrVersion) || errors.Is(err, index.ErrNewer) || errors.Is(err, index.ErrDamaged) ||
		errors.Is(err, index.ErrLog)
}

// wayOut says what can be done about an index that is unusable.
func wayOut(err error) string {
	switch {
	case errors.Is(err, index.ErrLog):
		return "Make room on its disk, or copy the job to where it can be written."
	case errors.Is(err, index.ErrNewer):
		return "The version that made it can read it; the command \"cybermapper index --rebuild\" makes it again for this one."
	}
	return "The command \"cybermapper index\" makes it again."
}

// standing is what the index knows of a URL; nil if there is no index to ask.
func (j *shown) standing(ctx context.Context, url string) (standing *index.Standing, err error) {
	err = j.withIndex(func(x *index.Index) (err error) {
		standing, err = x.Why(ctx, url)
		return err
	})
	if errors.Is(err, errNoIndex) || unusable(err) {
		return nil, nil
	}
	return standing, err
}

// openSearch tells browsers how to search here.
func (s *Server) openSearch(w http.ResponseWriter, r *http.Request, j *shown) {
	scheme := "http"
	if s.o.TLS {
		scheme = "https"
	}
	w.Header().Set("Content-Type", "application/opensearchdescription+xml")
	here := url.URL{Scheme: scheme, Host: r.Host, Path: "/"}
	fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
<ShortName>cybermapper</ShortName>
<Description>Pages of the crawl %s</Description>
<InputEncoding>UTF-8</InputEncoding>
<Url type="text/html" template="%s?job=%s&amp;q={searchTerms}"/>
</OpenSearchDescription>
`, html.EscapeString(j.name), html.EscapeString(here.String()), html.EscapeString(url.QueryEscape(j.name)))
}
