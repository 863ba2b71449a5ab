package crawler

import (
	"fmt"
	"time"

	"github.com/cybermapper/cybermapper/robots"
)

// closed returns a restError when the rules welcome no visit now (Visit-time). It is asked after the verdict on the URL itself, and
// again before the request leaves. Nil rules, as of a robots.txt that is asked for, welcome visits at any time.
func closed(rules *robots.Rules) error {
	if rules == nil {
		return nil
	}
	now := time.Now()
	if at, w := rules.Opens(now); at.After(now) {
		return &restError{until: at, reason: ReasonVisitTime, detail: fmt.Sprintf("robots.txt line %d: %s (UTC)", w.Line, w.Text)}
	}
	return nil
}
