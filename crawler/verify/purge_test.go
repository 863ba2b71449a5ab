package verify_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// noindexOf is what a page says that may not be kept any more.
func noindexOf(path string, seconds float64) ledger.Record {
	return ledger.Record{Type: ledger.Refusal, Time: at(seconds), URL: base + path, Gate: "meta", Reason: "noindex",
		Rule: "noindex in META ROBOTS"}
}

// purgeOf is the removal of such a page.
func purgeOf(path string, seconds float64) ledger.Record {
	r := outcome(path, seconds)
	return ledger.Record{Type: ledger.Purge, Time: r.Time, URL: r.URL, Reason: "noindex", Rule: "noindex in META ROBOTS", File: r.File,
		Digest: r.Digest}
}

// forbidden is the story of a crawl in which a page came to be forbidden, and was removed.
func forbidden() []ledger.Record {
	r := story()
	end := r[len(r)-1].Time.Sub(began).Seconds()
	return slices.Insert(r, len(r)-1, noindexOf("/private/press", end), purgeOf("/private/press", end))
}

// optedOutOf tells instead that the owner, or someone else, was opted out, and which entry the removal names.
func optedOutOf(r []ledger.Record, event, entry, named string) []ledger.Record {
	out, removal := &r[len(r)-3], &r[len(r)-2]
	*out = ledger.Record{Type: ledger.Run, Time: out.Time, Event: event, Rule: entry}
	removal.Reason, removal.Rule = "opted-out", named
	return r
}

// A page that is gone because its removal is on record is proved; one that is only gone is not, nor a removal without a cause.
func TestProve_Purge(t *testing.T) {
	for name, tt := range map[string]struct {
		tell func(r []ledger.Record) []ledger.Record
		want verify.Verdict
		what string
	}{
		"as it was": {func(r []ledger.Record) []ledger.Record { return r }, verify.Proven, ""},
		"nothing forbade it": {
			func(r []ledger.Record) []ledger.Record { return slices.Delete(r, len(r)-3, len(r)-2) },
			verify.Refuted, "which is not what refused it last",
		},
		"for another reason": {
			func(r []ledger.Record) []ledger.Record { r[len(r)-2].Reason = "robots-disallow"; return r },
			verify.Refuted, "which is not what refused it last",
		},
		"its owner is opted out": {
			func(r []ledger.Record) []ledger.Record { return optedOutOf(r, ledger.EventOptOut, host, host) },
			verify.Proven, "",
		},
		"somebody else is opted out": {
			func(r []ledger.Record) []ledger.Record {
				return optedOutOf(r, ledger.EventOptOut, "other.example", "other.example")
			},
			verify.Refuted, "is not its host",
		},
		"by an entry that is not on the list": {
			func(r []ledger.Record) []ledger.Record {
				return optedOutOf(r, ledger.EventOptOut, "other.example", host)
			},
			verify.Refuted, "which does not hold",
		},
		"its owner is opted out no more": {
			func(r []ledger.Record) []ledger.Record {
				r = slices.Insert(r, 4, ledger.Record{Type: ledger.Run, Event: ledger.EventOptOut, Time: at(4), Rule: host})
				return optedOutOf(r, ledger.EventLifted, host, host)
			},
			verify.Refuted, "which does not hold",
		},
		"the removal is struck out": {
			func(r []ledger.Record) []ledger.Record { return slices.Delete(r, len(r)-2, len(r)-1) },
			verify.Refuted, "the page that it stored is not in pages.jsonl",
		},
		"of a page that was never asked for": {
			func(r []ledger.Record) []ledger.Record { r[len(r)-2].URL = base + "/never"; return r },
			verify.Refuted, "that nobody had asked for",
		},
		"of what was never stored": {
			func(r []ledger.Record) []ledger.Record { r[len(r)-2].Digest = digest("other"); return r },
			verify.Refuted, "which no outcome says was stored",
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := write(t, forbidden())
			rewrite(t, j, tt.tell(readAll(t, j)))
			checkPages(t, j, tt.want, tt.what)
		})
	}
}

// What is on record as removed and is still there is not refuted, as the process may have been killed, and is told.
func TestProve_Purge_Unfinished(t *testing.T) {
	j := write(t, story())
	records := readAll(t, j)
	stored := records[urlOf(records, ledger.Outcome, "/private/press", 0)]
	end := records[len(records)-1].Time.Sub(began).Seconds()
	removed := purgeOf("/private/press", end)
	removed.File, removed.Digest = stored.File, stored.Digest
	rewrite(t, j, slices.Insert(records, len(records)-1, noindexOf("/private/press", end), removed))
	checkPages(t, j, verify.NotShown, "the next run with --purge does it")
}

// The list of pages is held against the ledger whether its file is there or not.
func TestProve_Purge_All(t *testing.T) {
	j := write(t, forbidden())
	filetest.Remove(t, filepath.Join(j.Pages, "pages.jsonl"))
	if r := prove(t, j, verify.Options{}); r.Verdict == verify.Proven {
		t.Error("a list that is gone as a whole is proved")
	}
}

func checkPages(t *testing.T, j verify.Job, want verify.Verdict, what string) {
	t.Helper()
	r := prove(t, j, verify.Options{})
	if r.Verdict != want {
		t.Errorf("the verdict is %s, want %s", r.Verdict, want)
	}
	var told []string
	p := r.Promise(verify.Pages)
	for _, f := range p.Findings {
		told = append(told, f.What)
	}
	if got := strings.Join(told, "; "); !strings.Contains(got, what) || (what == "") != (got == "") {
		t.Errorf("found %q, want %q", got, what)
	}
}
