package verify

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Verdict says what the evidence is worth.
type Verdict string

// The verdicts, from best to worst.
const (
	Proven   Verdict = "proven"    // everything was checked and is as promised
	NotShown Verdict = "not shown" // nothing contradicts it, but evidence is missing
	Refuted  Verdict = "refuted"   // at least one finding contradicts it
)

// Worse returns the worse of two verdicts.
func (v Verdict) Worse(o Verdict) Verdict {
	rank := func(v Verdict) int { return slices.Index([]Verdict{Proven, NotShown, Refuted}, v) }
	if rank(o) > rank(v) {
		return o
	}
	return v
}

// A Name identifies a promise.
type Name string

// The promises, in the order in which they are reported.
const (
	Chain     Name = "chain"
	Included  Name = "included" // of a bundle, in place of Chain
	Continues Name = "continues"
	Files     Name = "files"
	Decided   Name = "decided"
	Allowed   Name = "allowed"
	OptOut    Name = "opt-out"
	Fresh     Name = "fresh"
	Gaps      Name = "gaps"
	Rests     Name = "rests"
	Alone     Name = "alone"
	Tenure    Name = "tenure" // of a shared crawl
	Address   Name = "address"
	Once      Name = "once"
	Refused   Name = "refused"
	Records   Name = "records"
	Pages     Name = "pages"
	Listed    Name = "listed"
)

// texts returns the promises in words.
func texts() []Promise {
	return []Promise{
		{Name: Chain, Text: "the ledger is whole: no record was altered, dropped, inserted or moved"},
		{Name: Included, Text: "every line stands in the ledger of the checkpoint where it says: none was altered, inserted or " +
			"moved"},
		{Name: Continues, Text: "the ledger continues what was noted of it earlier"},
		{Name: Files, Text: "every robots.txt that a decision names is stored as it was, and the rule stands in the line named"},
		{Name: Decided, Text: "every request had a decision under the robots.txt in force then"},
		{Name: Allowed, Text: "nothing was requested that robots.txt disallowed"},
		{Name: OptOut, Text: "nobody was asked for anything after being opted out"},
		{Name: Fresh, Text: "no decision rests on a robots.txt older than allowed"},
		{Name: Gaps, Text: "no gap between requests to a site was shorter than owed, and none was owed that was too short"},
		{Name: Rests, Text: "a site that asked for a rest, as by 429 or 503, or gave no answer, was left alone as long as the " +
			"run promises"},
		{Name: Alone, Text: "no site had more requests in flight at once than allowed: one"},
		{Name: Tenure, Text: "no site was asked by two nodes under rights that held at once, nor under one that was over"},
		{Name: Address, Text: "no IP address had more requests in flight at once than allowed"},
		{Name: Once, Text: "nothing was requested twice, except robots.txt when due or as a page too, and what had failed or was " +
			"interrupted"},
		{Name: Refused, Text: "every refusal by robots.txt names the file in force and the rule that decided"},
		{Name: Records, Text: "every record is understood, and fits the clocks and the records around it"},
		{Name: Pages, Text: "every page on disk belongs to an allowed request, and is as it was stored"},
		{Name: Listed, Text: "every line of the list of pages is as it was written"},
	}
}

// A Report is what Prove found.
type Report struct {
	Format   int           `json:"format"`
	Verdict  Verdict       `json:"verdict"` // the worst of all promises
	Records  uint64        `json:"records"`
	Requests int64         `json:"requests"`
	Runs     int           `json:"runs"`
	Killed   int           `json:"killed"` // runs without an end, but for one that is under way
	First    time.Time     `json:"first,omitzero"`
	Last     time.Time     `json:"last,omitzero"`
	Head     string        `json:"head"`                     // hash of the last record, for the whole ledger; none of several jobs
	Torn     int64         `json:"torn,omitempty"`           // bytes of an unfinished record at the end
	Jobs     []Share       `json:"jobs,omitempty"`           // of several jobs what each has of the whole
	Drift    time.Duration `json:"clock_drift_ns,omitempty"` // by how much their clocks are taken to differ at most
	Terms    []Terms       `json:"terms"`                    // the runs were made under: each that differs from the one before
	Promises []Promise     `json:"promises"`
	Notes    []string      `json:"notes"` // what the verdicts allow for
}

// A Share is what one of several jobs has of what was judged.
type Share struct {
	Job      string    `json:"job"`
	Records  uint64    `json:"records"`
	Requests int64     `json:"requests"`
	Runs     int       `json:"runs"`
	Killed   int       `json:"killed"`
	First    time.Time `json:"first,omitzero"`
	Last     time.Time `json:"last,omitzero"`
	Head     string    `json:"head"`
	Torn     int64     `json:"torn,omitempty"`
}

// Promise returns the promise of that name, nil if the report is not about it.
func (r *Report) Promise(name Name) *Promise {
	i := slices.IndexFunc(r.Promises, func(p Promise) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Promises[i]
}

// A Promise is one thing that was to be shown.
type Promise struct {
	Name     Name      `json:"name"`
	Text     string    `json:"text"`
	Verdict  Verdict   `json:"verdict"`
	Checked  int64     `json:"checked"`
	Broken   int64     `json:"broken"`
	Unknown  int64     `json:"unknown"`
	Worst    string    `json:"worst,omitempty"` // the case nearest to the bound
	Findings []Finding `json:"findings"`        // the first ones
}

// Word is the verdict in words: one about nothing says so.
func (p Promise) Word() string {
	if p.Verdict == Proven && p.Checked == 0 {
		return "no case"
	}
	return string(p.Verdict)
}

// A Finding is evidence against a promise, or the lack of it.
type Finding struct {
	Job     string `json:"job,omitempty"`  // whose record it is, where there are several
	Seq     uint64 `json:"seq,omitempty"`  // of the record
	File    string `json:"file,omitempty"` // of the ledger
	Line    int    `json:"line,omitempty"`
	URL     string `json:"url,omitempty"`
	What    string `json:"what"`
	Unknown bool   `json:"unknown,omitempty"` // nothing is contradicted; evidence is missing

	nth uint64 // as in tally
}

// String returns where the finding is, as far as that is known, and what it is.
func (f Finding) String() string {
	where := f.URL
	switch {
	case f.Seq > 0 && f.File == "":
		where = strings.TrimSpace(fmt.Sprintf("record %d %s", f.Seq, f.URL))
	case f.Seq > 0:
		where = fmt.Sprintf("record %d (%s line %d) %s", f.Seq, f.File, f.Line, f.URL)
	case f.File != "" && !strings.HasPrefix(f.What, f.File):
		where = strings.TrimSpace(fmt.Sprintf("%s line %d %s", f.File, f.Line, f.URL))
	}
	what := f.What
	if where != "" {
		what = where + ": " + what
	}
	if f.Job != "" {
		what = f.Job + ": " + what
	}
	return what
}
