package explain

import (
	"fmt"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/frontier"
)

// A Priority says how early the turn of a URL comes.
type Priority struct {
	Queued int    `json:"queued"` // as it waits in the queue; 0 when it does not
	Now    int    `json:"now"`    // by the settings of now
	Host   int    `json:"host,omitempty"`
	Rule   string `json:"rule,omitempty"` // the entry of priority that matches

	waits bool
}

// prioritize notes the priority of a URL, if it has one.
func (e *Explanation) prioritize(c config.Config, u frontier.URL) {
	engine := c.Crawler()
	p := engine.PriorityOf(u)
	if p.Total == 0 && p.Rule == nil && p.Host == 0 && e.queued == 0 {
		return
	}
	e.Priority = &Priority{Queued: e.queued, Now: p.Total, Host: p.Host,
		waits: e.State == frontier.Queued.String() || e.State == frontier.Retrying.String()}
	if p.Rule != nil {
		e.Priority.Rule = fmt.Sprintf("%d %s", p.Rule.Priority, p.Rule.Pattern)
	}
}

// String says where the priority comes from.
func (p *Priority) String() string {
	var from []string
	if p.Host != 0 {
		from = append(from, fmt.Sprintf("%+d of hosts", p.Host))
	}
	if p.Rule != "" {
		from = append(from, fmt.Sprintf("priority: %q", p.Rule))
	}
	text := "none by the settings"
	if len(from) > 0 {
		text = fmt.Sprintf("%d, by %s", p.Now, strings.Join(from, " and "))
	}
	if p.waits && p.Queued != p.Now {
		text += fmt.Sprintf("; it waits with %d, which it was given when it was found or submitted", p.Queued)
	}
	return text
}
