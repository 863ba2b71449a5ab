package verify

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// A tally counts what one pass finds about one promise.
type tally struct {
	job                      string // whose record is judged; empty when there is one job only
	nth                      uint64 // record of all jobs it is, in the order of time
	checked, broken, unknown int64
	findings                 []Finding
	most                     int           // findings kept of each kind
	margin                   time.Duration // of the worst case
	worst                    string
	worstSeq                 uint64
}

// ok counts a case that is as promised.
func (t *tally) ok() { t.checked++ }

// refute counts a case that contradicts the promise.
func (t *tally) refute(e *ledger.Entry, format string, args ...any) {
	t.checked++
	t.broken++
	if t.broken <= int64(t.most) {
		t.add(e, false, format, args...)
	}
}

// more counts so many cases more for which the same evidence is missing.
func (t *tally) more(n int) {
	t.checked += int64(n)
	t.unknown += int64(n)
}

// lack counts a case for which evidence is missing.
func (t *tally) lack(e *ledger.Entry, format string, args ...any) {
	t.checked++
	t.unknown++
	if t.unknown <= int64(t.most) {
		t.add(e, true, format, args...)
	}
}

func (t *tally) add(e *ledger.Entry, unknown bool, format string, args ...any) {
	f := Finding{Job: t.job, What: fmt.Sprintf(format, args...), Unknown: unknown}
	if e != nil {
		f.Seq, f.File, f.Line, f.URL = e.Seq, e.InFile, e.AtLine, e.URL
		if t.job != "" && e.Seq > 0 {
			f.nth = t.nth
		}
	}
	t.findings = append(t.findings, f)
}

// near notes how far the case of record seq was from the bound, if no earlier one was as near. text is called when it is the
// nearest.
func (t *tally) near(margin time.Duration, seq uint64, text func() string) {
	if t.job != "" {
		seq = t.nth
	}
	if t.worst == "" || margin < t.margin || margin == t.margin && seq < t.worstSeq {
		t.margin, t.worstSeq, t.worst = margin, seq, text()
		if t.job != "" {
			t.worst = t.job + ": " + t.worst
		}
	}
}

// merge adds what another pass found.
func (t *tally) merge(o *tally) {
	t.checked += o.checked
	t.broken += o.broken
	t.unknown += o.unknown
	t.findings = append(t.findings, o.findings...)
	if o.worst != "" {
		t.job = "" // which the text names
		t.near(o.margin, o.worstSeq, func() string { return o.worst })
	}
}

// conclude turns a tally into a verdict.
func (p *Promise) conclude(t *tally) {
	slices.SortStableFunc(t.findings, func(a, b Finding) int {
		if a.Unknown != b.Unknown {
			return map[bool]int{false: -1, true: 1}[a.Unknown]
		}
		return cmp.Or(cmp.Compare(a.nth, b.nth), cmp.Compare(a.Seq, b.Seq))
	})
	p.Checked, p.Broken, p.Unknown, p.Worst = t.checked, t.broken, t.unknown, t.worst
	p.Findings = append([]Finding{}, t.findings[:min(len(t.findings), t.most)]...)
	switch {
	case p.Broken > 0:
		p.Verdict = Refuted
	case p.Unknown > 0:
		p.Verdict = NotShown
	default:
		p.Verdict = Proven
	}
}
