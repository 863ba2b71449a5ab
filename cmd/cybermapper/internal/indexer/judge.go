package indexer

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler/optout"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/preference"
	"github.com/cybermapper/cybermapper/storage/index"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// A Judge says whether a page may be in the index, by all that a job knows today.
type Judge struct {
	dir     string
	product string
	dialect robots.Dialect
	dynamic time.Duration // how long a page that says it is volatile may be found

	optOuts *optout.List
	origins map[string]originState   // what robots.txt said last
	rules   map[string]*robots.Rules // of origins, as they were needed
}

// An originState is the last answer to a request for robots.txt that said something.
type originState struct {
	Outcome robots.Outcome `json:"outcome"` // found or unavailable
	Digest  string         `json:"digest,omitempty"`
	Address string         `json:"address,omitempty"`
	Time    time.Time      `json:"time"`
}

// maxRules bounds the robots.txt files that are held in memory.
const maxRules = 1000

func newJudge(dir string) (*Judge, error) {
	c, err := config.Read(path.Join(dir, job.ConfigFile))
	if err != nil {
		return nil, fmt.Errorf("read job configuration: %w", err)
	}
	j := &Judge{
		dir: dir, product: c.Agent.Product, dynamic: time.Duration(c.Search.DynamicLife), origins: map[string]originState{},
		rules: map[string]*robots.Rules{},
	}
	if j.dialect, err = robots.ParseDialect(c.Robots.Dialect); err != nil {
		return nil, fmt.Errorf("read job configuration: %w", err)
	}
	j.optOuts, _, err = job.OptOuts(path.Join(dir, job.OptOutFile))
	return j, err
}

// Refuse says why the page that a line describes may not be in the index at the time now; refused is false if it may.
func (j *Judge) Refuse(l *pages.Line, now time.Time) (r index.Refusal, refused bool) {
	r = index.Refusal{URL: l.FinalURL, Time: now, Source: l.Start}
	u, err := frontier.ParseURL(l.FinalURL)
	if err != nil {
		r.Reason, r.Rule = index.Unreadable, err.Error()
		return r, true
	}
	for _, ask := range []func(*index.Refusal, *pages.Line, frontier.URL, time.Time) bool{
		j.optedOut, directed, excluded, j.expired, j.disallowed, j.preferred,
	} {
		if ask(&r, l, u, now) {
			return r, true
		}
	}
	return index.Refusal{}, false
}

// optedOut: the owner asked to be left alone.
func (j *Judge) optedOut(r *index.Refusal, _ *pages.Line, u frontier.URL, _ time.Time) bool {
	entry, out := j.optOuts.Host(u.Hostname())
	if at, err := netip.ParseAddrPort(j.origins[u.Origin()].Address); !out && err == nil {
		entry, out = j.optOuts.Address(at.Addr())
	}
	r.Reason, r.Rule, r.File = index.OptedOut, entry, job.OptOutFile
	return out
}

// directed: META ROBOTS or X-Robots-Tag say noindex. Such pages are not even stored, by this version.
func directed(r *index.Refusal, l *pages.Line, _ frontier.URL, _ time.Time) bool {
	r.Reason, r.File, r.Rule = index.NoIndex, "", strings.Join(l.Directives, ", ")
	return slices.Contains(l.Directives, "noindex") || slices.Contains(l.Directives, "none")
}

// disallowed: the robots.txt of today forbids the page.
func (j *Judge) disallowed(r *index.Refusal, _ *pages.Line, u frontier.URL, _ time.Time) bool {
	rules, file := j.rulesOf(u.Origin())
	if rules == nil {
		return false
	}
	v := rules.Test(u.PathQuery())
	r.Reason, r.Rule, r.File, r.Line = index.Disallowed, v.Rule, file, v.Line
	if v.Allowed {
		r.Line = 0
	}
	return !v.Allowed
}

// preferred: the page, or the robots.txt of today, asks not to be used for searching.
func (j *Judge) preferred(r *index.Refusal, l *pages.Line, u frontier.URL, _ time.Time) bool {
	r.Reason = index.Preference
	const disallow = "disallow"
	for _, p := range l.Preferences {
		if p.Use == string(preference.Search) && p.Value == disallow && p.Place != "robots.txt" {
			r.Rule, r.File = p.Text, p.Place
			return true
		}
	}
	rules, file := j.rulesOf(u.Origin())
	if rules == nil {
		for _, p := range l.Preferences {
			if p.Use == string(preference.Search) && p.Value == disallow {
				r.Rule, r.File, r.Line = p.Text, job.RobotsFile(string(l.Robots.Digest)), p.Line
				return true
			}
		}
		return false
	}
	for _, p := range preference.Read(&preference.Capture{PathQuery: u.PathQuery(), Rules: rules}) {
		if p.Use == preference.Search && p.Value == preference.Disallow {
			r.Rule, r.File, r.Line = p.Text, file, p.Line
			return true
		}
	}
	return false
}

// expired: the time is up that the page, or its author, gave it.
func (j *Judge) expired(r *index.Refusal, l *pages.Line, _ frontier.URL, now time.Time) bool {
	at, why := j.expires(l)
	r.Reason, r.Rule, r.File, r.Line = index.Expired, why, "", 0
	return !at.IsZero() && !at.After(now)
}

// expires returns until when a page may be found, and who says so; zero for ever.
func (j *Judge) expires(l *pages.Line) (at time.Time, why string) {
	for _, d := range l.Directives {
		if text, ok := strings.CutPrefix(d, "unavailable_after:"); ok {
			if t, err := time.Parse(time.RFC3339, text); err == nil {
				at, why = t, d
			}
		}
	}
	if l.DocumentState == "dynamic" && j.dynamic > 0 {
		if t := l.Fetched.Add(j.dynamic); at.IsZero() || t.Before(at) {
			at, why = t, "META DOCUMENT-STATE: dynamic"
		}
	}
	return at, why
}

// excluded: what is for machines is no page. It is found by nobody who searches for words.
func excluded(r *index.Refusal, l *pages.Line, u frontier.URL, _ time.Time) bool {
	r.Reason, r.Rule, r.File, r.Line = index.Excluded, l.Type, "", 0
	switch l.Type {
	case "application/json", "application/ld+json", "application/xml", "text/xml", "application/javascript", "text/javascript",
		"text/css",
		"application/rss+xml", "application/atom+xml", "application/wasm", "font/woff", "font/woff2":
		return true
	}
	return u.PathQuery() == "/robots.txt"
}

// rulesOf returns the robots.txt rules of an origin as of today, and the file they stand in; nil when nothing is known.
func (j *Judge) rulesOf(origin string) (*robots.Rules, string) {
	s, known := j.origins[origin]
	if !known {
		return nil, ""
	}
	if rules, ok := j.rules[origin]; ok {
		return rules, job.RobotsFile(s.Digest)
	}
	rules, err := j.read(origin, s)
	if err != nil {
		rules = robots.DenyAll(robots.ReasonUnreachable) // what it forbids is not known
	}
	if len(j.rules) >= maxRules {
		clear(j.rules)
	}
	j.rules[origin] = rules
	return rules, job.RobotsFile(s.Digest)
}

func (j *Judge) read(origin string, s originState) (*robots.Rules, error) {
	if s.Outcome == robots.Unavailable {
		return robots.AllowAll(robots.ReasonUnavailable), nil
	}
	body, err := robots.DirBodies(path.Join(j.dir, job.RobotsDir)).Get(s.Digest)
	if errors.Is(err, fs.ErrNotExist) && s.Digest == "" {
		return robots.AllowAll(robots.ReasonUnavailable), nil
	}
	if err != nil {
		return nil, err
	}
	return robots.Parse(body, j.dialect).RulesFor(origin, j.product), nil
}
