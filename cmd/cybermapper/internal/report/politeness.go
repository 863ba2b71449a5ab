package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/cybermapper/cybermapper/storage/ledger"
)

// maxWorst bounds the pauses that are named.
const maxWorst = 10

// politeness compares pauses as requests pass by.
type politeness struct {
	out   Politeness
	slack bars
	setBy *tally
	rows  int
}

func newPoliteness(o Options) politeness {
	return politeness{out: Politeness{Worst: []Pause{}}, slack: newBars("too early"), setBy: newTally(o.Names), rows: o.Rows}
}

func (p *politeness) add(r *ledger.Record) {
	if r.GapWhy != "" {
		p.setBy.add(Row{Name: r.GapWhy, Sample: r.Site})
	}
	if r.Owed == 0 && r.Kept == 0 {
		p.out.First++
		return
	}
	pause := Pause{Seq: r.Seq, Site: r.Site, URL: r.URL, Owed: r.Owed, Kept: r.Kept, Slack: r.Kept - r.Owed}
	if p.out.Measured++; pause.Slack < 0 {
		p.out.Early++
	}
	p.slack.add(time.Duration(pause.Slack))
	if p.out.Measured == 1 || pause.Kept < p.out.Shortest.Kept {
		p.out.Shortest = pause.clip()
	}
	if n := len(p.out.Worst); n < maxWorst || pause.Slack < p.out.Worst[n-1].Slack {
		worst := append(p.out.Worst, pause.clip())
		slices.SortStableFunc(worst, func(a, b Pause) int { return cmp.Compare(a.Slack, b.Slack) })
		p.out.Worst = worst[:min(len(worst), maxWorst)]
	}
}

func (p Pause) clip() Pause {
	p.Site, p.URL = clip(p.Site), clip(p.URL)
	return p
}

func (p *politeness) politeness() Politeness {
	p.out.Slack, p.out.SetBy = p.slack, p.setBy.table(p.rows)
	return p.out
}
