package verify

import (
	"fmt"
	"time"
)

// ahead says how far the clocks differ.
func (o Offset) ahead() string {
	way := "ahead of"
	if o.By < 0 {
		way = "behind"
	}
	return fmt.Sprintf("the clock of the server was %v %s that of the crawler from %s to %s", o.By.Abs(), way,
		stamp(o.From), stamp(o.To))
}

// note says what the verdicts allow for.
func (c *comparer) note() {
	o := &c.out
	add := func(format string, args ...any) { o.Notes = append(o.Notes, fmt.Sprintf(format, args...)) }
	switch {
	case o.Lines > 0 && c.bare > 0:
		add("the log has %s from %s to %s, %d of them without a User-Agent, so that they may be of anybody; as many as %d fit the "+
			"%s on record", plural(int(o.Lines), "request"), stamp(o.From), stamp(o.To), c.bare, o.Matched,
			plural(o.Requests, "request"))
	case o.Lines > 0:
		add("the log has %s from %s to %s, %d of them with our name; %d are among the %s on record",
			plural(int(o.Lines), "request"), stamp(o.From), stamp(o.To), o.Ours, o.Matched, plural(o.Requests, "request"))
	}
	if o.Malformed > 0 {
		add("%s be read, as %s: nothing is known of what is there",
			plural(int(o.Malformed), "line of the log could not", "lines of the log could not"), c.badLine)
	}
	if o.Doubled > 0 {
		add("%s once, for the lines of others around them stand there again, too: %s",
			plural(o.Doubled, "line with our name is a copy and counts", "lines with our name are copies and count"), c.copied)
	}
	if o.Elsewhere > 0 {
		add("%s on record as asked of other sites of the same server; the log does not say for which site a line is",
			plural(o.Elsewhere, "line with our name is", "lines with our name are"))
	}
	if o.Hostless > 0 {
		others := "whether the record has requests to other sites of its server the bundle does not say"
		if c.neighbours > 0 {
			others = fmt.Sprintf("the record has %s to other sites of its server, says the operator",
				plural(int(c.neighbours), "request"))
		}
		add("the log does not say for which site a line is, and %s: if it has no other site, %s on no record; HOST=LOG says that "+
			"a log is of one site alone", others, plural(o.Hostless, "line with our name is", "lines with our name are"))
	}
	for _, off := range o.Offsets {
		if by := off.By.Abs(); by > time.Second && by <= logClock {
			add("%s, which was allowed for", off.ahead())
		}
	}
	if c.alias != "" && o.Lines > 0 {
		add("no line of the log names %s; those that name %s were taken for what the server calls it", c.host, c.alias)
	}
	if o.Uncovered > 0 && o.Lines > 0 {
		add("%s on record from before the log begins or after it ends: was it put away?",
			plural(o.Uncovered, "request is", "requests are"))
	}
	if o.Later > 0 && c.running {
		add("%s with our name later than what there is of the record",
			plural(o.Later, "line of the log is", "lines of the log are"))
	}
	if o.Interrupted > 0 {
		add("%s under way when a process was killed, or when the record of one that runs was read, and on no record: at most one "+
			"each time, and those of a second if the machine went down", plural(o.Interrupted, "request was", "requests were"))
	}
	if o.Unnamed > 0 {
		add("%s in the log without a name: the server answered with 400 before it had read who asks",
			plural(o.Unnamed, "request on record is", "requests on record are"))
	}
	if o.Unanswered > 0 {
		add("%s on record as not answered, and not in the log", plural(o.Unanswered, "request is", "requests are"))
	}
}

// With adds what a comparison with a log has shown.
func (r *Report) With(c *Comparison) {
	r.Promises, r.Notes = append(r.Promises, c.Promises...), append(r.Notes, c.Notes...)
	for _, p := range c.Promises {
		r.Verdict = r.Verdict.Worse(p.Verdict)
	}
}
