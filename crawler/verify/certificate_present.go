package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// present is the robots.txt of an origin that was found last, as it was read then.
type present struct {
	ruleKey
	fetched time.Time
}

// found notes which robots.txt is the latest. While there is none to be had, that is the last one; where there is none, nothing.
func (c *certifier) found(e *ledger.Entry) {
	if siteOf(e.Origin) != c.c.Site || len(c.last) >= maxVersions {
		return
	}
	switch robots.Outcome(e.Outcome) {
	case robots.Found:
		key := ruleKey{digest: e.Digest, origin: e.Origin, product: c.run.product}
		if c.run.policy != nil {
			key.dialect = c.run.policy.Dialect
		}
		c.last[e.Origin] = present{key, e.End}
	case robots.Unavailable:
		delete(c.last, e.Origin)
	}
}

// present asks the latest robots.txt about everything that was requested.
func (c *certifier) present(ctx context.Context, j Job) error {
	if len(c.last) == 0 {
		return nil
	}
	p := &Present{}
	for _, last := range c.last {
		if last.fetched.After(p.Fetched) {
			p.Fetched = last.fetched
		}
	}
	rules := files{jobs: []Job{j}, most: 64 << 20}
	_, err := j.walk(func(e *ledger.Entry) bool {
		if e.Type == ledger.Request && e.Purpose != forRobots && siteOf(e.URL) == c.c.Site {
			c.askPresent(p, &rules, e)
		}
		return e.Seq < c.c.Proof.Records && ctx.Err() == nil
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	if p.Checked > 0 {
		c.c.Present = p
	}
	return nil
}

func (c *certifier) askPresent(p *Present, files *files, e *ledger.Entry) {
	origin, path := splitURL(e.URL)
	last, ok := c.last[origin]
	if !ok {
		return
	}
	rules := files.of(last.ruleKey)
	if rules.lack != "" {
		return
	}
	p.Checked++
	if v := rules.Test(path); !v.Allowed {
		if p.Closed++; len(p.First) < maxForbidden {
			p.First = append(p.First, Asked{
				Seq: e.Seq, Time: e.Start, URL: e.URL, Purpose: e.Purpose, Status: e.Status, Line: v.Line, Rule: v.Rule,
			})
		}
	}
}
