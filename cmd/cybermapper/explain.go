package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// An explanation is all that is known of one URL.
type explanation struct {
	URL      string        `json:"url"`
	State    string        `json:"state"` // "queued", "retrying", "done", "refused", "failed", "unknown"
	Reason   string        `json:"reason,omitempty"`
	Code     int           `json:"code,omitempty"`
	Found    *foundView    `json:"found,omitempty"`
	Gates    []gateView    `json:"gates"`
	Attempts []attemptView `json:"attempts"`
	Target   string        `json:"target,omitempty"` // of a redirect
	Page     *storedView   `json:"page,omitempty"`
	NoIndex  bool          `json:"noindex,omitempty"` // the page asked not to be stored
	Next     string        `json:"next"`
	NextAt   time.Time     `json:"next_at,omitzero"`
	Site     *siteView     `json:"site,omitempty"`
	Notes    []string      `json:"notes,omitempty"`
}

// A foundView says where a URL was first found.
type foundView struct {
	Via   string    `json:"via,omitempty"` // empty for a seed
	Depth int       `json:"depth"`
	Time  time.Time `json:"time"` // of the first record about it
}

// A gateView is the verdict of one gate.
type gateView struct {
	Gate    string    `json:"gate"`
	Verdict string    `json:"verdict"` // "passed", "refused", "not reached", "not yet"
	Reason  string    `json:"reason,omitempty"`
	Rule    string    `json:"rule,omitempty"`
	Line    int       `json:"line,omitempty"`
	File    string    `json:"file,omitempty"` // robots.txt in the job directory
	Time    time.Time `json:"time,omitzero"`
}

// An attemptView is one request.
type attemptView struct {
	Purpose string    `json:"purpose"`
	Start   time.Time `json:"start"`
	End     time.Time `json:"end"`
	Address string    `json:"address,omitempty"`
	Status  int       `json:"status,omitempty"`
	Bytes   int64     `json:"bytes"`
	Error   string    `json:"error,omitempty"`
	Cut     string    `json:"truncated,omitempty"`
	Pause   pauseView `json:"pause"`
}

// A storedView says where the page lies.
type storedView struct {
	File   string `json:"file"`
	SameAs string `json:"same_as,omitempty"`
	Title  string `json:"title,omitempty"`
}

// A siteView says how the site of the URL stands.
type siteView struct {
	Site         string    `json:"site"`
	Queued       int64     `json:"queued"`
	Due          time.Time `json:"due,omitzero"`
	LastEnd      time.Time `json:"last_end,omitzero"`
	BlockedUntil time.Time `json:"blocked_until,omitzero"`
	BlockReason  string    `json:"block_reason,omitempty"`
}

func newExplainCommand() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain URL",
		Short: "Tell why a URL was fetched, when, or why not",
		Long: `Tells everything that a job knows of one URL: where it was found, what each gate said, which line of
which robots.txt decided, how the pause before each request came about, every attempt, and what is
next. It changes nothing; while the crawl runs it tells what the ledger says so far.

Exit codes:
  0    it was told
  1    error, or the job has never heard of the URL
  2    wrong usage
`,
		Example: "  cybermapper explain --job big https://example.org/private/",
		Args:    exactly(1, "URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			u, err := parseSeed(args[0])
			if err != nil {
				return usageError("", "%w", err)
			}
			return explain(cmd.Context(), dir, u, cmd.OutOrStdout(), asJSON)
		},
	}
	jobFlag(cmd, &dir)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func explain(ctx context.Context, dir string, u frontier.URL, w io.Writer, asJSON bool) (err error) {
	v, err := lookAt(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	h, err := readHistory(v, u)
	if err != nil {
		return err
	}
	e := &explanation{URL: u.String(), State: statusText(frontier.Unknown), Attempts: []attemptView{}}
	if err := e.fill(ctx, v, h, u); err != nil {
		return err
	}
	if asJSON {
		err = encodeJSON(w, e)
	} else {
		e.print(w)
	}
	if err == nil && e.State == statusText(frontier.Unknown) && len(h.refusals) == 0 {
		return &exitError{code: exitFailure}
	}
	return err
}

// fill gathers the explanation from history and frontier.
func (e *explanation) fill(ctx context.Context, v *job.View, h *history, u frontier.URL) error {
	config, err := readJobConfig(v)
	if err != nil {
		return err
	}
	if r := h.first(); r != nil {
		e.Found = &foundView{Via: r.Via, Depth: r.Depth, Time: r.Time}
	}
	e.fromLedger(h)
	if v.Frontier != nil {
		if err := e.fromFrontier(ctx, v, u); err != nil {
			return err
		}
	} else if v.Running {
		e.Notes = append(e.Notes, "the crawl is running: this is what the ledger says so far")
	}
	e.Gates = gatesOf(e.State, h)
	for _, a := range h.attempts {
		e.Attempts = append(e.Attempts, viewAttempt(a, newArithmetic(v, config, a)))
	}
	if h.page != nil {
		e.Page = &storedView{File: path.Join(job.PagesDir, h.page.File), SameAs: h.page.SameAs, Title: h.page.Title}
	}
	for _, r := range h.refusals {
		e.NoIndex = e.NoIndex || r.Reason == string(crawler.ReasonNoindex)
	}
	if h.more > 0 {
		e.Notes = append(e.Notes, fmt.Sprintf("%d more records are in the ledger", h.more))
	}
	e.next(h)
	return nil
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
func (e *explanation) fromLedger(h *history) {
	if n := len(h.outcomes); n > 0 {
		o := h.outcomes[n-1]
		e.State, e.Reason, e.Code, e.NextAt, e.Target = o.Outcome, o.Reason, o.Status, o.NotBefore, o.Location
	} else if n := len(h.refusals); n > 0 {
		e.State, e.Reason = statusText(frontier.Refused), h.refusals[n-1].Reason
	}
}

// fromFrontier takes the state from the frontier, which knows better.
func (e *explanation) fromFrontier(ctx context.Context, v *job.View, u frontier.URL) error {
	info, err := v.Frontier.Lookup(ctx, u)
	if err != nil {
		return fmt.Errorf("look up %s: %w", u, err)
	}
	if info.Status == frontier.Unknown {
		return nil // links that were turned away before the queue are in the ledger only
	}
	e.State, e.Reason, e.Code, e.NextAt = statusText(info.Status), info.Reason, info.Code, info.NotBefore
	if e.Found == nil {
		e.Found = &foundView{Via: info.Entry.Via.String(), Depth: info.Entry.Depth, Time: info.Entry.Added}
	}
	for s, err := range v.Frontier.Sites(ctx) {
		if err != nil {
			return fmt.Errorf("look up site: %w", err)
		}
		if s.Site == u.Site() {
			e.Site = &siteView{
				Site: s.Site, Queued: s.Queued + s.Retrying, Due: s.Due, LastEnd: s.LastEnd,
				BlockedUntil: s.Policy.BlockedUntil, BlockReason: s.Policy.BlockReason,
			}
		}
	}
	return nil
}

// gateOrder is the order in which a link meets the gates.
func gateOrder() []crawler.Gate {
	return []crawler.Gate{
		crawler.GateURL, crawler.GateMeta, crawler.GateAction, crawler.GateScope, crawler.GateTrap, crawler.GateLimit,
		crawler.GateRobots, crawler.GateAddress,
	}
}

// gatesOf works out what each gate said: a URL passed all gates before the one that refused it.
func gatesOf(state string, h *history) []gateView {
	refusal := lastRefusal(h)
	if state != statusText(frontier.Refused) {
		refusal = nil // turned away from one page, let in from another
	}
	verdict := "passed"
	var gates []gateView
	for _, gate := range gateOrder() {
		g := gateView{Gate: string(gate), Verdict: verdict}
		switch {
		case refusal != nil && refusal.Gate == g.Gate:
			g = refusedGate(g, refusal)
			verdict = "not reached"
		case state == statusText(frontier.Unknown):
			return []gateView{}
		case verdict == "passed" && len(h.attempts) == 0 && (gate == crawler.GateAddress || gate == crawler.GateRobots):
			g.Verdict = "not yet"
		case verdict == "passed" && gate == crawler.GateRobots:
			g = passedRobots(g, h)
		}
		gates = append(gates, g)
	}
	return gates
}

func lastRefusal(h *history) *ledger.Record {
	for i := len(h.refusals) - 1; i >= 0; i-- {
		if h.refusals[i].Reason != string(crawler.ReasonNoindex) {
			return &h.refusals[i]
		}
	}
	return nil
}

func refusedGate(g gateView, r *ledger.Record) gateView {
	g.Verdict, g.Reason, g.Rule, g.Line, g.Time = "refused", r.Reason, r.Rule, r.Line, r.Time
	g.File = robotsFile(r.Digest)
	return g
}

func passedRobots(g gateView, h *history) gateView {
	a := h.attempts[len(h.attempts)-1]
	g.Rule, g.Line, g.File, g.Time = a.RobotsRule, a.RobotsLine, robotsFile(a.RobotsDigest), a.Start
	if g.Line == 0 {
		g.Reason = becauseText(robots.Verdict{Reason: robots.Reason(a.RobotsReason)})
	}
	return g
}

// robotsFile returns where the job keeps the robots.txt with that digest.
func robotsFile(digest string) string {
	hex, ok := strings.CutPrefix(digest, "sha256:")
	if !ok {
		return ""
	}
	return path.Join(job.RobotsDir, hex)
}

// next says what happens to the URL now.
func (e *explanation) next(h *history) {
	switch e.State {
	case statusText(frontier.Done), statusText(frontier.Failed), statusText(frontier.Refused):
		e.Next = "nothing; it is " + e.State
		e.NextAt = time.Time{}
	case statusText(frontier.Unknown):
		e.Next = "nothing; the job has never heard of it"
	default:
		e.Next = "it is asked for when its turn comes"
		if e.Site != nil && e.Site.Due.After(e.NextAt) {
			e.NextAt = e.Site.Due
		}
		if e.Site != nil && e.Site.BlockedUntil.After(now()) {
			e.Next = "the site is left alone first: " + reasonText(crawler.Reason(e.Site.BlockReason))
			if len(h.rests) > 0 && h.rests[0].ErrorText != "" {
				e.Next += " (" + h.rests[0].ErrorText + ")"
			}
		}
	}
}

// print writes the explanation as text.
func (e *explanation) print(w io.Writer) {
	row := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-9s %s\n", label, printable(fmt.Sprintf(format, args...)))
	}
	row("url", "%s", e.URL)
	row("state", "%s", e.stateText())
	if e.Found != nil {
		row("found", "%s", e.Found)
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
	}
	if e.Target != "" {
		row("redirect", "to %s, a link like any other", e.Target)
	}
	if e.Page != nil {
		row("stored", "%s", e.Page)
	} else if e.NoIndex {
		row("stored", "no: the page asks not to be (noindex)")
	}
	next := e.Next
	if !e.NextAt.IsZero() {
		next += fmt.Sprintf("; not before %s", clockText(e.NextAt))
	}
	row("next", "%s", next)
	for _, n := range e.Notes {
		row("note", "%s", n)
	}
}

func (e *explanation) stateText() string {
	text := e.State
	if e.Code != 0 {
		text += fmt.Sprintf(", %d %s", e.Code, http.StatusText(e.Code))
	}
	if e.Reason != "" {
		text += fmt.Sprintf(": %s (%s)", reasonText(crawler.Reason(e.Reason)), e.Reason)
	}
	return text
}

func (f *foundView) String() string {
	at := clockText(f.Time)
	switch {
	case f.Via == "" && f.Depth == 0:
		return "given as a seed; first met " + at
	case f.Via == "":
		return fmt.Sprintf("%s from a seed, on a page that asked not to be named; first met %s", plural(f.Depth, "link"), at)
	}
	return fmt.Sprintf("on %s, %s from a seed; first met %s", f.Via, plural(f.Depth, "link"), at)
}

// gateLines writes gates as lines, those that have nothing more to say than their verdict together.
func gateLines(gates []gateView) []string {
	var lines []string
	for i := 0; i < len(gates); {
		names := gates[i].Gate
		text := gates[i].String()
		j := i + 1
		for j < len(gates) && text == gates[i].Verdict && gates[j].String() == text {
			names += ", " + gates[j].Gate
			j++
		}
		lines = append(lines, names+": "+text)
		i = j
	}
	return lines
}

func (g gateView) String() string {
	text := g.Verdict
	if g.Reason != "" {
		text += ": " + reasonText(crawler.Reason(g.Reason))
	}
	if g.Line > 0 {
		text += fmt.Sprintf(": robots.txt line %d: %s", g.Line, g.Rule)
	} else if g.Rule != "" {
		text += ": " + g.Rule
	}
	if g.File != "" {
		text += " (" + shortDigest(g.File) + ")"
	}
	return text
}

// shortDigest shortens the digest at the end of a path to what tells it from others.
func shortDigest(file string) string {
	const enough = 12
	dir, name := path.Split(file)
	if len(name) <= enough {
		return file
	}
	return dir + name[:enough] + "..."
}

func (s *storedView) String() string {
	text := s.File
	if s.SameAs != "" {
		text += ", which was stored for " + s.SameAs
	}
	if s.Title != "" {
		text += fmt.Sprintf(" (%q)", s.Title)
	}
	return text
}

func (a attemptView) String() string {
	text := fmt.Sprintf("%s, took %s", clockText(a.Start), roundDuration(a.End.Sub(a.Start)))
	if a.Purpose != string(crawler.ForPage) {
		text = "for " + a.Purpose + ": " + text
	}
	if a.Status != 0 {
		text += fmt.Sprintf(": %d %s, %s from %s", a.Status, http.StatusText(a.Status), bytesText(a.Bytes), a.Address)
	}
	if a.Error != "" {
		text += ": " + a.Error
	}
	if a.Cut != "" {
		text += ", cut: " + a.Cut
	}
	return text
}

// clockText writes a moment for people of this place.
func clockText(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05.000") }
