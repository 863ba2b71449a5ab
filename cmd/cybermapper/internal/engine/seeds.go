package engine

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// seedMoved returns what writes down that the redirect of a seed has made its target a seed: the file of seeds, for the scope of
// later runs, and the ledger.
func seedMoved(j *job.Job, l *ledger.Ledger) func(from, to frontier.URL) error {
	return func(from, to frontier.URL) error {
		note := "the seed " + from.String() + " redirects here"
		if err := j.AddSeed(seed.Seed{URL: to, Note: note}); err != nil {
			return err
		}
		err := l.Append(ledger.Record{Type: ledger.Seed, URL: to.String(), Via: from.String(), Why: note, Outcome: "queued"})
		if err != nil {
			return fmt.Errorf("write ledger: %w", err)
		}
		return nil
	}
}

const (
	maxSeeds  = 1000 // that a report names, or that are looked up for it
	maxFailed = 5    // seeds without a page that it names where others have one
	maxMoves  = 20   // redirects of a seed that are followed here
)

// tellSeeds says in the report of a run after which there is no page what became of each seed. That has an exit code of its own,
// unless a site has only asked to come back later, be it by its pause.
func (r *run) tellSeeds(ctx context.Context, told *progress.Report) (err error) {
	if err := r.stores.ledger.Flush(); err != nil {
		return err
	}
	told.SeedsN = len(r.seeds)
	now, c := time.Now(), r.Config.Crawler()
	shut := func(site string) bool {
		opens, _ := c.Opens(site, now)
		return opens.After(now)
	}
	if told.Seeds, err = fates(ctx, r.job.Path(job.LedgerDir), r.stores.frontier, r.seeds, shut); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	later := slices.ContainsFunc(told.Seeds, func(s progress.Seed) bool { return s.Later })
	if told.ExitCode == cli.ExitDone || told.ExitCode == cli.ExitWaiting && !later {
		told.ExitCode = cli.ExitNoPages
	}
	return nil
}

// tellFailedSeeds says in the report of a run after which there are pages what became of seeds that gave none. It asks the queue
// only: the ledger of a large crawl would take long.
func tellFailedSeeds(ctx context.Context, r *progress.Report, f frontier.Frontier, seeds []seed.Seed) error {
	for _, s := range seeds[:min(len(seeds), maxSeeds)] {
		info, err := f.Lookup(ctx, s.URL)
		if err != nil {
			return fmt.Errorf("report: look up %s: %w", s.URL, err)
		}
		isLost := info.Status == frontier.Failed || info.Status == frontier.Refused ||
			info.Status == frontier.Done && info.Code >= http.StatusBadRequest
		if !isLost {
			continue
		}
		if r.FailedSeedsN++; len(r.FailedSeeds) < maxFailed {
			p := progress.Seed{URL: s.URL.String()}
			tellFate(&p, s.URL, info, &fate{refusal: ledger.Record{Reason: info.Reason}}, ledger.Record{})
			r.FailedSeeds = append(r.FailedSeeds, p)
		}
	}
	return nil
}

// A fate is what the ledger says of one URL.
type fate struct {
	outcome, refusal ledger.Record // the last ones
}

// fates says what became of each of seeds, by the ledger in dir. A queued one of a site that is shut now waits for that.
func fates(ctx context.Context, dir string, f frontier.Frontier, seeds []seed.Seed, shut func(site string) bool) ([]progress.Seed,
	error) {
	seeds = seeds[:min(len(seeds), maxSeeds)]
	known := map[string]*fate{}         // the seeds, and what they redirect to
	rests := map[string]ledger.Record{} // by site, of these
	for _, s := range seeds {
		known[s.URL.String()], rests[s.URL.Site()] = &fate{}, ledger.Record{}
	}
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Outcome, ledger.Refusal, ledger.Rest}}
	for r, err := range ledger.ReadSound(dir, o) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		at := known[r.URL]
		// the target of a redirect, of which the outcome is told next
		if at == nil && r.Type == ledger.Refusal && known[r.Via] != nil {
			at = &fate{}
			known[r.URL] = at
		}
		switch {
		case r.Type == ledger.Rest:
			if _, ok := rests[r.Site]; ok {
				rests[r.Site] = r
			}
		case at == nil:
		case r.Type == ledger.Refusal:
			at.refusal = r
		default:
			at.outcome = r
			if to, err := frontier.ParseURL(r.Location); err == nil && known[r.Location] == nil {
				known[r.Location] = &fate{}
				if _, ok := rests[to.Site()]; !ok {
					rests[to.Site()] = ledger.Record{}
				}
			}
		}
	}
	for site := range rests {
		if shut(site) {
			rests[site] = ledger.Record{Site: site, Reason: string(crawler.ReasonHours)}
		}
	}
	var all []progress.Seed
	for _, s := range seeds {
		p, err := fateOf(ctx, f, s.URL, known, rests)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// fateOf follows the redirects of a seed to where its way ends.
func fateOf(ctx context.Context, f frontier.Frontier, u frontier.URL, known map[string]*fate,
	rests map[string]ledger.Record) (progress.Seed, error) {
	p := progress.Seed{URL: u.String()}
	for range maxMoves {
		info, err := f.Lookup(ctx, u)
		if err != nil {
			return p, fmt.Errorf("look up %s: %w", u, err)
		}
		at := known[u.String()]
		next, err := frontier.ParseURL(at.outcome.Location)
		if info.Status == frontier.Done && err == nil && known[next.String()] != nil {
			p.Code, p.Target = info.Code, next.String()
			u = next
			continue
		}
		tellFate(&p, u, info, at, rests[u.Site()])
		return p, nil
	}
	p.Text = "redirects again and again, at last to " + p.Target
	p.Hint = translate.Key("accept_cookies in hosts: of the configuration, in case the site wants a cookie back that it sets")
	return p, nil
}

// tellFate says of the end of the way of a seed what became of it, and what would help.
func tellFate(p *progress.Seed, u frontier.URL, info frontier.Info, at *fate, rest ledger.Record) {
	p.State = info.Status.String()
	switch info.Status {
	case frontier.Done:
		p.Code, p.Reason, p.Text = info.Code, info.Reason, fmt.Sprintf("answered %d %s", info.Code, http.StatusText(info.Code))
		p.Hint = hintForStatus(info.Code)
	case frontier.Failed:
		p.Code, p.Reason, p.Text = info.Code, info.Reason, "given up: "+say.Reason(crawler.Reason(info.Reason))
		p.Hint = "look at it with: cybermapper inspect " + say.Argument(u.String())
	case frontier.Queued, frontier.Retrying:
		p.Reason, p.Text = rest.Reason, "not asked for yet"
		why := crawler.Reason(rest.Reason)
		switch {
		case info.Status == frontier.Retrying:
			why = crawler.Reason(cmp.Or(rest.Reason, info.Reason))
			p.Code, p.Reason, p.Text = info.Code, string(why), "to be tried again: "+say.Reason(why)
		case why != "":
			p.Text = "not asked for: " + say.Reason(why)
		}
		p.Hint = hintFor(why, "")
		if p.Detail = rest.ErrorText; p.Detail != "" {
			p.Text += " (" + p.Detail + ")"
		}
		isNext := info.Status == frontier.Queued && rest.Reason == "" // when its pause is over
		p.Later = isNext || comesBack(crawler.Reason(rest.Reason))
	default: // refused, before it was queued or at its turn
		r := at.refusal
		p.State, p.Gate, p.Reason = frontier.Refused.String(), r.Gate, r.Reason
		p.Text = "refused: " + say.Reason(crawler.Reason(r.Reason))
		if r.Rule != "" {
			p.Detail = ruleText(r)
			p.Text += fmt.Sprintf(" (%s)", p.Detail)
		}
		p.Hint = hintFor(crawler.Reason(r.Reason), p.Target)
	}
	if p.Target != "" {
		verb := "is "
		if info.Status == frontier.Done {
			verb = ""
		}
		p.Text = "redirects to " + p.Target + ", which " + verb + p.Text
	}
}

func ruleText(r ledger.Record) string {
	if r.Line > 0 {
		return fmt.Sprintf("line %d: %s", r.Line, r.Rule)
	}
	return r.Rule
}

// comesBack reports whether a site that rests for this has asked to come back later, rather than not been there.
func comesBack(r crawler.Reason) bool {
	switch r {
	case crawler.ReasonDNS, crawler.ReasonTLS, crawler.ReasonRefused, crawler.ReasonTimeout, crawler.ReasonFailures,
		crawler.ReasonDenied, crawler.ReasonPrivate:
		return false
	}
	return r != ""
}

func hintForStatus(code int) string {
	switch {
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return translate.Key("ask its owner; a login that you got goes into hosts: of the configuration, with --again=all")
	case code == http.StatusNotFound, code == http.StatusGone:
		return translate.Key("check the address; --again=all asks again")
	case code >= 300 && code < 400:
		return translate.Key("check the address: it redirects nowhere")
	}
	return ""
}

// hints say which setting, if any, lets the next run get further than a reason.
var hints = map[crawler.Reason]string{
	crawler.ReasonOutOfScope:  "--scope",
	crawler.ReasonExcluded:    translate.Key("another --exclude"),
	crawler.ReasonNotIncluded: translate.Key("another --include"),
	crawler.ReasonMediaType:   translate.Key("another --accept or --reject, with --again=all"),
	crawler.ReasonDepth:       translate.Key("a larger --depth"),
	crawler.ReasonPrivate:     translate.Key("--allow-private; a run after the rest of the site asks again, another --job at once"),
	crawler.ReasonAction:      translate.Key("another action_links in the configuration"),
	crawler.ReasonSignIn:      hintForStatus(http.StatusUnauthorized),
	crawler.ReasonOptedOut:    translate.Key("nothing: its owner asked to be left alone (--opt-out)"),
	crawler.ReasonDisallowed:  translate.Key("nothing: ask its owner; cybermapper robots explain shows the rules"),
	crawler.ReasonChallenge:   translate.Key("ask its owner to let this crawler pass"),
	crawler.ReasonDNS:         translate.Key("check the name"),
	crawler.ReasonTLS:         badTLS,
	crawler.ReasonRefused:     noAnswer,
	crawler.ReasonTimeout:     noAnswer,
	crawler.ReasonBadPort:     translate.Key("another port"),

	crawler.ReasonURLLength:     trapBound,
	crawler.ReasonPathDepth:     trapBound,
	crawler.ReasonRepeated:      trapBound,
	crawler.ReasonRedirectLimit: trapBound,
	crawler.ReasonPagesPerHost:  hostLimit,
	crawler.ReasonBytesPerHost:  hostLimit,
	crawler.ReasonTimePerHost:   hostLimit,
}

var (
	badTLS    = translate.Key("check the certificate and your clock; --ca FILE trusts another authority, http:// does without")
	noAnswer  = translate.Key("check the address and the port; a run after the rest of the site asks again, another --job at once")
	trapBound = translate.Key("a higher bound in the section traps of the configuration")
	hostLimit = translate.Key("a higher limit for each host")
)

// hintFor returns the hint for a reason. target is where the seed redirects, or "".
func hintFor(r crawler.Reason, target string) string {
	hint, ok := hints[r]
	switch {
	case r == crawler.ReasonOutOfScope && target != "":
		return "give " + target + " as a seed, or --scope any"
	case !ok && comesBack(r):
		return translate.Key("run the same command again later")
	}
	return hint
}

// limitOfHosts returns how a run ends that has nothing left: as done, or by a limit of a host that an earlier run met and that
// still keeps a page from being asked for.
func limitOfHosts(ctx context.Context, dir string, f frontier.Frontier) (crawler.Reason, error) {
	o := ledger.ReadOptions{Types: []ledger.Type{ledger.Refusal}, Gates: []string{string(crawler.GateLimit)}}
	for r, err := range ledger.ReadSound(dir, o) {
		if err != nil {
			return "", err
		}
		end := crawler.EndFor(crawler.Reason(r.Reason))
		u, perr := frontier.ParseURL(r.URL)
		if end == crawler.EndDone || perr != nil {
			continue
		}
		info, err := f.Lookup(ctx, u)
		if err != nil {
			return "", fmt.Errorf("look up %s: %w", u, err)
		}
		if info.Status == frontier.Refused && info.Reason == r.Reason {
			return end, nil
		}
	}
	return crawler.EndDone, nil
}
