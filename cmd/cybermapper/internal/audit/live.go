package audit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/spf13/cobra"
)

// live says who is here: on a terminal in a table that is kept up to date, elsewhere line by line.
type live struct {
	w        io.Writer
	asJSON   bool
	terminal *progress.Page       // nil when w is none
	told     map[brokenRule]int64 // what was said of the rules that somebody broke
}

// A brokenRule is a kind of rule that somebody broke.
type brokenRule struct {
	name, host string
	identity   audit.Identity
	code       audit.FaultCode
}

// An event is a line of JSON.
type event struct {
	Event  string        `json:"event"` // now, broken or end
	Now    *audit.Now    `json:"now,omitempty"`
	Broken *broken       `json:"broken,omitempty"`
	Report *audit.Report `json:"report,omitempty"`
}

// broken says that a rule was broken again.
type broken struct {
	Time     time.Time       `json:"time"`
	Name     string          `json:"name"`
	Host     string          `json:"host,omitempty"`
	Rule     audit.FaultCode `json:"rule"`
	More     int64           `json:"more"` // since it was last said
	Count    int64           `json:"count"`
	Evidence *audit.Evidence `json:"evidence,omitempty"`
}

func newLive(cmd *cobra.Command, o options) live {
	l := live{w: cmd.OutOrStdout(), asJSON: o.asJSON, told: map[brokenRule]int64{}}
	if !o.asJSON {
		l.terminal = progress.NewPage(l.w)
	}
	return l
}

// every returns how often it is said who is here: each second on a terminal.
func (l live) every(asked time.Duration) time.Duration {
	if l.terminal != nil {
		return min(asked, time.Second)
	}
	return asked
}

// now says who is here, and first what was broken since it was last said.
func (l live) now(n audit.Now) error {
	var out bytes.Buffer
	for _, p := range n.Visitors {
		for _, f := range p.Faults {
			key := brokenRule{p.Name, p.Host, p.Identity, f.Code}
			if more := f.Count - l.told[key]; more > 0 {
				l.told[key] = f.Count
				l.broken(&out, n.Time, p, f, more)
			}
		}
	}
	switch {
	case l.asJSON:
		writeLine(&out, event{Event: "now", Now: &n})
	case l.terminal != nil:
		return l.draw(n)
	case n.Requests > 0:
		l.table(&out, n, len(n.Visitors))
	}
	_, err := l.w.Write(out.Bytes())
	return err
}

// broken says that a visitor broke a rule again.
func (l live) broken(out *bytes.Buffer, at time.Time, p audit.Presence, f audit.Fault, more int64) {
	evidence := p.Latest
	switch {
	case l.asJSON:
		writeLine(out, event{Event: "broken", Broken: &broken{at, p.Name, p.Host, f.Code, more, f.Count, evidence}})
		return
	case l.terminal != nil: // the table has it
		return
	}
	text := fmt.Sprintf("%s  broken: %s: %s", timeText(at), nameAt(p), faultText(audit.Fault{Code: f.Code, Count: more}))
	if evidence != nil && evidence.Path != "" {
		text += fmt.Sprintf(", as %s in %s:%d", evidence.Path, evidence.File, evidence.Line)
	}
	fmt.Fprintln(out, say.Printable(text))
}

func writeLine(out *bytes.Buffer, e event) {
	_ = json.NewEncoder(out).Encode(e) // into memory, of types that can be
}

func nameAt(p audit.Presence) string {
	if p.Host != "" {
		return p.Name + " at " + p.Host
	}
	return p.Name
}

// table writes who is here, up to a number of lines.
func (l live) table(out *bytes.Buffer, n audit.Now, most int) {
	fmt.Fprintf(out, "%s  %s in the last minute, %s beside robots\n", timeText(n.Time), say.Plural(n.Requests, "request"),
		say.Plural(n.People, "address"))
	for i, p := range n.Visitors {
		if i == most {
			fmt.Fprintf(out, "  and %d more\n", len(n.Visitors)-most)
			return
		}
		here := "gone"
		if p.Here {
			here = fmt.Sprintf("%d in a minute, up to %d in a second", p.Minute, p.Second)
		}
		said := ""
		for _, f := range p.Faults {
			said += "; " + faultText(f)
		}
		operator := cmp.Or(p.Operator, string(p.Class))
		if p.Identity != audit.Unchecked {
			operator += ", " + string(p.Identity)
		}
		fmt.Fprintln(out, say.Printable(fmt.Sprintf("  %-28s %s%s", say.Clip(nameAt(p)+" ("+operator+")", 60), here, said)))
	}
}

// draw replaces what stands on the terminal.
func (l live) draw(n audit.Now) error {
	var text bytes.Buffer
	l.table(&text, n, max(l.terminal.Height()-4, 1))
	text.WriteString("Ctrl-C ends this, and shows the report\n")
	return l.terminal.Draw(text.String())
}

// end makes room for what comes after.
func (l live) end() error {
	if l.terminal == nil {
		return nil
	}
	return l.terminal.Draw("")
}
