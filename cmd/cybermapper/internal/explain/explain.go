package explain

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
)

// An Explanation is all that is known of one URL.
type Explanation struct {
	URL      string     `json:"url"`
	State    string     `json:"state"` // "queued", "retrying", "done", "refused", "failed", "unknown"
	Reason   string     `json:"reason,omitempty"`
	Code     int        `json:"code,omitempty"`
	Found    *Found     `json:"found,omitempty"`
	Given    []Given    `json:"submitted,omitempty"`
	Gates    []Gate     `json:"gates"`
	Attempts []Attempt  `json:"attempts"`
	Target   string     `json:"target,omitempty"` // of a redirect
	Rules    []Ruling   `json:"rules,omitempty"`  // what robots.txt said over time, if that has changed
	Page     *Stored    `json:"page,omitempty"`
	Versions []Version  `json:"versions,omitempty"` // of a page that has changed, oldest first
	Again    *Return    `json:"again,omitempty"`
	LastMod  time.Time  `json:"lastmod,omitzero"`   // when it changed, says a sitemap
	Sitemap  *Sitemap   `json:"sitemap,omitempty"`  // what it named, if it was read as one
	NoIndex  bool       `json:"noindex,omitempty"`  // the page asked not to be stored
	Unwanted string     `json:"unwanted,omitempty"` // the rule by which files of its kind are not stored, if it was answered
	Barred   bool       `json:"barred,omitempty"`   // it waits in the queue, and will be refused by the settings of now
	Next     string     `json:"next"`
	NextAt   time.Time  `json:"next_at,omitzero"`
	Priority *Priority  `json:"priority,omitempty"` // nil when it has none
	Site     *SiteState `json:"site,omitempty"`
	// Report is of the site, when the URL is its front page.
	Report *SiteReport `json:"site_report,omitempty"`

	Notes []string `json:"notes,omitempty"`

	queued int // its priority in the queue
}

// A Found says where a URL was first found.
type Found struct {
	Via   string    `json:"via,omitempty"` // empty for a seed
	Depth int       `json:"depth"`
	Time  time.Time `json:"time"`           // of what the first record about it tells
	Note  string    `json:"note,omitempty"` // of a seed: where it is from
	As    string    `json:"as,omitempty"`   // "requisite" for what Via needs to be shown

	seed      bool // of the job
	submitted bool // and no seed of the job
	unbidden  bool // nobody gave it or linked to it: it was asked for what the site wants of us
}

// An Attempt is one request.
type Attempt struct {
	Purpose string    `json:"purpose"`
	Start   time.Time `json:"start"`
	End     time.Time `json:"end"`
	Address string    `json:"address,omitempty"`
	Proxy   string    `json:"proxy,omitempty"`
	Status  int       `json:"status,omitempty"`
	Bytes   int64     `json:"bytes"`
	Error   string    `json:"error,omitempty"`
	Cut     string    `json:"truncated,omitempty"`
	Again   string    `json:"again,omitempty"`  // why the URL was asked for again though this brought something: a reason
	Tenure  string    `json:"tenure,omitempty"` // node, partition and epoch, of a shared crawl
	Pause   Pause     `json:"pause"`
}

// A Stored says where the page lies.
type Stored struct {
	File   string `json:"file"`
	SameAs string `json:"same_as,omitempty"`
	Title  string `json:"title,omitempty"`
}

// A SiteState says how the site of the URL stands.
type SiteState struct {
	Site         string    `json:"site"`
	Queued       int64     `json:"queued"`
	Due          time.Time `json:"due,omitzero"`
	LastEnd      time.Time `json:"last_end,omitzero"`
	BlockedUntil time.Time `json:"blocked_until,omitzero"`
	BlockReason  string    `json:"block_reason,omitempty"`
}

// URL explains u from the job that v looks at; and its site, if it is the front page.
func URL(ctx context.Context, v *job.View, u frontier.URL) (*Explanation, error) {
	h, err := readHistory(v, u)
	if err != nil {
		return nil, err
	}
	e := &Explanation{URL: u.String(), State: frontier.Unknown.String(), Attempts: []Attempt{}}
	if err := e.fill(ctx, v, h, u); err != nil {
		return nil, err
	}
	if u.PathQuery() == "/" && e.Known() {
		e.Report, _, err = Site(ctx, v, u.Site())
	}
	return e, err
}

// Known reports whether the job has ever heard of the URL.
func (e *Explanation) Known() bool {
	return e.State != frontier.Unknown.String() || len(e.Attempts) > 0
}

// fill gathers the explanation from history and frontier.
func (e *Explanation) fill(ctx context.Context, v *job.View, h *history, u frontier.URL) error {
	config, err := readJobConfig(v)
	if err != nil {
		return err
	}
	if r := h.first(); r != nil {
		e.Found = &Found{Via: r.Via, Depth: r.Depth, Time: r.Time}
		if !r.Start.IsZero() {
			e.Found.Time = r.Start
		}
		if r.Purpose == string(crawler.ForRequisite) && r.Via != "" {
			e.Found.As = r.Purpose
		}
	}
	e.fromLedger(h)
	if v.Frontier != nil {
		if err := e.fromFrontier(ctx, v, h, u); err != nil {
			return err
		}
	} else if v.Running {
		e.Notes = append(e.Notes, "the crawl is running: this is what the ledger says so far")
	}
	if e.Found == nil && len(h.attempts) > 0 {
		e.Found = &Found{Time: h.attempts[0].Start, unbidden: true}
	}
	if err := e.provenance(v, h, u); err != nil {
		return err
	}
	e.Gates = gatesOf(e.State, h)
	if err := e.judgeNow(v, config, u); err != nil {
		return err
	}
	for _, a := range h.attempts {
		shown := viewAttempt(a, newArithmetic(v, config, a))
		shown.Again = h.again(a)
		e.Attempts = append(e.Attempts, shown)
	}
	if h.page != nil {
		e.LastMod = h.page.LastMod
		e.Page = &Stored{File: path.Join(job.PagesDir, h.page.File), SameAs: h.page.SameAs, Title: h.page.Title}
	}
	e.prioritize(config, u)
	e.Versions = versionsOf(h)
	e.Sitemap = sitemapOf(h)
	e.refused(h)
	for _, r := range h.purges {
		why := r.Rule
		if crawler.Reason(r.Reason) == crawler.ReasonOptedOut {
			why = "opt-out of " + r.Rule
		}
		note := fmt.Sprintf("removed from the pages at %s, by --purge: %s (%s)", say.Clock(r.Time), why, r.File)
		e.Notes = append(e.Notes, note)
	}
	if h.more > 0 {
		e.Notes = append(e.Notes, fmt.Sprintf("%d more records are in the ledger", h.more))
	}
	e.next(v, h)
	return e.rulings(v, u)
}

// refused takes what the refusals tell of the answers: those that were not kept, and a redirect that led back.
func (e *Explanation) refused(h *history) {
	answered := h.page == nil && e.State == frontier.Done.String() && e.Code == http.StatusOK
	for _, r := range h.refusals {
		switch crawler.Reason(r.Reason) {
		case crawler.ReasonNoindex:
			e.NoIndex = true
		case crawler.ReasonMediaType:
			if answered {
				e.Unwanted = r.Rule
			}
		case crawler.ReasonRedirectLoop:
			why := say.Reason(crawler.ReasonRedirectLoop)
			e.Notes = append(e.Notes, fmt.Sprintf("not asked for again when %s redirected to it: %s (%s)", r.Via, why, r.Reason))
		}
	}
}

// readJobConfig returns the configuration that the job was last run with.
func readJobConfig(v *job.View) (config.Config, error) {
	c, err := config.Read(v.Path(job.ConfigFile))
	if err != nil {
		return c, fmt.Errorf("read job configuration: %w", err)
	}
	return c, nil
}

// fromLedger takes the state from the last record that tells one.
func (e *Explanation) fromLedger(h *history) {
	if n := len(h.outcomes); n > 0 {
		o := h.outcomes[n-1]
		e.State, e.Reason, e.Code, e.NextAt, e.Target = o.Outcome, o.Reason, o.Status, o.NotBefore, o.Location
	} else if n := len(h.refusals); n > 0 {
		e.State, e.Reason = frontier.Refused.String(), h.refusals[n-1].Reason
	}
}

// fromFrontier takes the state from the frontier, which knows better.
func (e *Explanation) fromFrontier(ctx context.Context, v *job.View, h *history, u frontier.URL) error {
	info, err := v.Frontier.Lookup(ctx, u)
	if err != nil {
		return fmt.Errorf("look up %s: %w", u, err)
	}
	if info.Status == frontier.Unknown {
		return nil // links that were turned away before the queue are in the ledger only
	}
	e.State, e.Reason, e.Code, e.NextAt = info.Status.String(), info.Reason, info.Code, info.NotBefore
	e.Again = returnOf(info)
	if r := h.first(); r == nil || crawler.Reason(r.Reason).IsOfLink() {
		e.Found = &Found{Via: info.Entry.Via.String(), Depth: info.Entry.Depth, Time: info.Entry.Added}
		if p := crawler.PurposeOf(info.Entry.Kind); p == crawler.ForRequisite {
			e.Found.As = string(p)
		}
	}
	e.LastMod = info.Entry.Modified
	if info.Status == frontier.Queued || info.Status == frontier.Retrying {
		e.queued = int(info.Entry.Priority)
	}
	s, known, err := v.Frontier.Site(ctx, u.Site())
	if err != nil {
		return fmt.Errorf("look up site: %w", err)
	}
	if known {
		e.Site = &SiteState{
			Site: s.Site, Queued: s.Queued + s.Retrying, Due: s.Due, LastEnd: s.LastEnd,
			BlockedUntil: s.Policy.BlockedUntil, BlockReason: s.Policy.BlockReason,
		}
	}
	return nil
}

// next says what happens to the URL now.
func (e *Explanation) next(v *job.View, h *history) {
	switch e.State {
	case frontier.Done.String(), frontier.Failed.String(), frontier.Refused.String():
		e.Next = "nothing; it is " + e.State
		if crawler.Reason(e.Reason).Parks() {
			e.Next += ", until it is released: crawl --release REGEXP"
		}
		e.NextAt = time.Time{}
	case frontier.Unknown.String():
		e.Next = "nothing; the job does not know it"
		if len(e.Attempts) > 0 {
			e.Next = "nothing; it never was in the queue"
		}
		switch {
		case v.Running:
			e.Next = "it may be queued, which cannot be seen while the crawl runs"
		case v.IsNode:
			e.Next = "it may be queued at the brokers of the crawl, which are not asked"
		}
	default:
		e.Next = "it will be requested when its turn comes"
		if e.Barred {
			e.Next = "it will be refused when its turn comes: the settings of the job have changed"
			return
		}
		if e.Site != nil && e.Site.Due.After(e.NextAt) {
			e.NextAt = e.Site.Due
		}
		if e.NextAt.Before(time.Now()) {
			e.NextAt = time.Time{}
		}
		if e.Site != nil && e.Site.BlockedUntil.After(time.Now()) {
			e.Next = "the site is left alone first: " + say.Reason(crawler.Reason(e.Site.BlockReason))
			if len(h.rests) > 0 && h.rests[0].ErrorText != "" {
				e.Next += " (" + h.rests[0].ErrorText + ")"
			}
		}
	}
}

// Print writes the explanation as text.
func (e *Explanation) Print(w io.Writer) {
	row := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-9s %s\n", label, say.Printable(fmt.Sprintf(format, args...)))
	}
	row("url", "%s", e.URL)
	row("state", "%s", e.stateText())
	if e.Found != nil {
		row("found", "%s", e.Found)
	}
	e.printGiven(row)
	if e.Priority != nil {
		row("priority", "%s", e.Priority)
	}
	if !e.LastMod.IsZero() {
		row("changed", "%s, according to a sitemap", e.LastMod.Format(time.DateOnly))
	}
	label := "gates"
	for _, line := range gateLines(e.Gates) {
		row(label, "%s", line)
		label = ""
	}
	for i, a := range e.Attempts {
		row(fmt.Sprintf("request %d", i+1), "%s", a)
		for _, line := range a.Pause.lines() {
			row("", "%s", line)
		}
		if a.Again != "" {
			row("", "asked for again: %s (%s)", say.Reason(crawler.Reason(a.Again)), a.Again)
		}
	}
	e.printRulings(row)
	if e.Target != "" {
		row("redirect", "to %s, a link like any other", e.Target)
	}
	if e.Page != nil {
		row("stored", "%s", e.Page)
	} else if e.NoIndex {
		row("stored", "no: the page asks not to be (noindex)")
	} else if e.Unwanted != "" {
		row("stored", "no: %s: %s", say.Reason(crawler.ReasonMediaType), e.Unwanted)
	}
	for i, v := range e.Versions {
		row(fmt.Sprintf("version %d", i+1), "%s in %s (%q)", say.Clock(v.Fetched), v.File, v.Title)
	}
	if e.Again != nil {
		row("again", "%s", e.Again)
	}
	if e.Sitemap != nil {
		e.Sitemap.print(row)
	}
	next := e.Next
	if !e.NextAt.IsZero() {
		next += fmt.Sprintf("; not before %s", say.Clock(e.NextAt))
	}
	row("next", "%s", next)
	for _, n := range e.Notes {
		row("note", "%s", n)
	}
	if e.Report != nil {
		fmt.Fprintln(w)
		e.Report.Print(w)
	}
}

func (e *Explanation) stateText() string {
	text := e.State
	if e.Code != 0 {
		text += fmt.Sprintf(", %d %s", e.Code, http.StatusText(e.Code))
	}
	if e.Reason != "" {
		text += fmt.Sprintf(": %s (%s)", say.Reason(crawler.Reason(e.Reason)), e.Reason)
	}
	return text
}

// String says how the URL was found, and when.
func (f *Found) String() string {
	at := say.Clock(f.Time)
	switch {
	case f.unbidden:
		return "neither a seed nor a link: asked for what the site wants of robots; first " + at
	case f.Via == "" && f.submitted:
		return "submitted; first met " + at
	case f.Via == "" && (f.Depth == 0 || f.seed):
		text := "given as a seed"
		if f.Depth > 0 {
			text += ", which counts as " + say.Plural(f.Depth, "link") + " from one"
		}
		if f.Note != "" {
			text += ": " + f.Note
		}
		return text + "; first met " + at
	case f.Via == "":
		return fmt.Sprintf("%s from a seed, on a page that asked not to be named; first met %s", say.Plural(f.Depth, "link"), at)
	}
	if f.As == string(crawler.ForRequisite) {
		return fmt.Sprintf("a requisite of %s; first met %s", f.Via, at)
	}
	return fmt.Sprintf("on %s, %s from a seed; first met %s", f.Via, say.Plural(f.Depth, "link"), at)
}

// String says where the page is stored.
func (s *Stored) String() string {
	text := s.File
	if s.SameAs != "" {
		text += ", the same as " + s.SameAs
	}
	if s.Title != "" {
		text += fmt.Sprintf(" (%q)", s.Title)
	}
	return text
}

// String says what was asked and what came of it.
func (a Attempt) String() string {
	text := fmt.Sprintf("%s, took %s", say.Clock(a.Start), say.Span(a.End.Sub(a.Start)))
	if a.Purpose != string(crawler.ForPage) {
		text = "for " + a.Purpose + ": " + text
	}
	if a.Status != 0 {
		text += fmt.Sprintf(": %d %s, %s", a.Status, http.StatusText(a.Status), say.Bytes(a.Bytes))
	}
	if a.Status != 0 && a.Address != "" {
		text += " from " + a.Address
	}
	if a.Proxy != "" {
		text += " by way of " + a.Proxy
	}
	if a.Error != "" {
		text += ": " + a.Error
	}
	if a.Cut != "" {
		text += ", cut: " + a.Cut
	}
	if part := strings.Split(a.Tenure, "/"); len(part) == 3 {
		text += fmt.Sprintf("; by node %s, owner of partition %s in epoch %s", part[0], part[1], part[2])
	}
	return text
}
