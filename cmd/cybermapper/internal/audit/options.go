package audit

import (
	"net/netip"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/accesslog/signature"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
)

// options are the flags of audit.
type options struct {
	robots, history string
	robotsSince     string
	proxies         []string
	format          string
	visitor         string
	from, to        string
	ranges          string
	html, bundle    string
	notes           []string
	writeNotes      string
	keys, networks  string
	load            string
	errorLogs       []string
	before          string
	all             bool
	follow          bool
	every           time.Duration
	dns             bool
	asJSON, quiet   bool
}

// flags declares the flags.
func (o *options) flags(f *pflag.FlagSet) {
	f.StringVar(&o.robots, "robots", "", "robots.txt of the site: a file")
	f.StringVar(&o.robotsSince, "robots-since", "",
		"since when that robots.txt was in force; without it, since the file was written")
	f.StringVar(&o.history, "history", "",
		"directory with copies of robots.txt over time, or of a crawl; or a robots.txt in a git repository")
	f.StringSliceVar(&o.proxies, "trusted-proxies", nil, "addresses and networks of proxies whose X-Forwarded-For is believed")
	f.StringVar(&o.format, "format", "auto", "format of the logs: "+accesslog.FormatNames)
	f.StringVar(&o.visitor, "visitor", "", "show the visits of this address or product token")
	f.StringVar(&o.from, "from", "", "leave out requests before this time (UTC), as 2026-03-01T12:00, or age, as 7d")
	f.StringVar(&o.to, "to", "", "leave out requests at this time or later")
	f.StringVar(&o.ranges, "ranges", "", "JSON file with the addresses from which robots come")
	f.StringVar(&o.keys, "keys", "", "JSON file with the keys by which robots sign their requests")
	f.StringVar(&o.networks, "networks", "", "table of networks and their owners, separated by tabs or commas; may be gzipped")
	f.StringVar(&o.load, "load", "", "CSV file with the load of the server and its open connections over time")
	f.StringArrayVar(&o.errorLogs, "error-log", nil, "error log of nginx or Apache beside the logs; may be repeated")
	f.BoolVar(&o.dns, "dns", false, "ask DNS whether robots come from where they claim, if their operators name domains")
	f.StringArrayVar(&o.notes, "notes", nil, "file of records about robots, in addition to those bundled; may be repeated")
	f.StringVar(&o.writeNotes, "write-notes", "", "append records of unknown robots to this file")
	f.StringVar(&o.before, "before", "", "compare what was before this time, when something was blocked, with what came after")
	f.BoolVar(&o.follow, "follow", false, "go on as the logs are written, and say who is here, until interrupted")
	f.DurationVar(&o.every, "every", 10*time.Second, "with --follow: how often; on a terminal once a second")
	f.BoolVar(&o.all, "all", false, "show all lines of evidence, not only the first")
	f.StringVar(&o.bundle, "bundle", "",
		"write a zip file to mail: the lines of the log, the report, and a letter to fill in; - for stdout")
	f.StringVar(&o.html, "html", "", "write the report as an HTML file with plots, which needs nothing else; - for stdout")
	f.BoolVar(&o.asJSON, "json", false, "print as JSON")
	f.BoolVar(&o.quiet, "quiet", false, "no progress line")
}

// read makes options of the flags and of the files that they name.
func (o options) read(cmd *cobra.Command) (a audit.Options, f accesslog.Format, err error) {
	a.Visitor = o.visitor
	if o.html == "-" && (o.asJSON || o.bundle == "-") || o.bundle == "-" && o.asJSON {
		return a, f, cli.UsageError("give a file to all but one",
			"--html -, --bundle - and --json exclude each other: all write to stdout")
	}
	if f, err = accesslog.ParseFormat(o.format); err != nil {
		return a, f, cli.UsageError("", "--format: %w", err)
	}
	if a.From, err = cli.Moment("from", o.from, time.Now(), time.UTC); err != nil {
		return a, f, err
	}
	if a.To, err = cli.Moment("to", o.to, time.Now(), time.UTC); err != nil {
		return a, f, err
	}
	if a.Before, err = cli.Moment("before", o.before, time.Now(), time.UTC); err != nil {
		return a, f, err
	}
	if !a.To.IsZero() && !a.From.Before(a.To) {
		return a, f, cli.UsageError("", "--from %s is not before --to %s", o.from, o.to)
	}
	if a.Copies, err = readCopies(cmd, o); err != nil {
		return a, f, err
	}
	if a.Roster, err = readRoster(cmd, o.notes, o.writeNotes); err != nil {
		return a, f, err
	}
	if a.Owners, err = readOwners(cmd, o.networks); err != nil {
		return a, f, err
	}
	const hint = `put the product token of the robot around its set of keys: {"examplebot": {"keys": [...]}}`
	if a.Signatures, err = readNamed(cmd, "--keys", o.keys, hint, maxRanges, parseKeys); err != nil {
		return a, f, err
	}
	if a.Load, err = readNamed(cmd, "--load", o.load, "", maxLoad, strain.ParseLoad); err != nil {
		return a, f, err
	}
	if a.ErrorLog, err = readErrorLogs(cmd, o.errorLogs); err != nil {
		return a, f, err
	}
	if a.Identify, err = readNamed(cmd, "--ranges", o.ranges, "", maxRanges, parseRanges); err == nil && o.dns {
		a.Identify = newDNSCheck(cmd.Context(), a.Roster, a.Identify).identify
	}
	return a, f, err
}

// readNamed reads the file that a flag names, of at most so many bytes; nothing without a name. hint is for what is wrong in it.
func readNamed[T any](cmd *cobra.Command, flag, name, hint string, most int64, parse func([]byte) (T, error)) (v T, err error) {
	if name == "" {
		return v, nil
	}
	data, err := cli.ReadInput(cmd, name, most)
	if err != nil {
		return v, err
	}
	if v, err = parse(data); err != nil {
		err = cli.UsageError(hint, "%s %s: %w", flag, name, err)
	}
	return v, err
}

// parseRanges reads from which addresses robots come.
func parseRanges(data []byte) (func(token, client string) audit.Identity, error) {
	ranges, err := audit.ParseRanges(data)
	return ranges.Identify, err
}

// parseKeys reads the keys by which signatures are checked.
func parseKeys(data []byte) (*signature.Checker, error) {
	keys, err := signature.ParseKeys(data)
	return &signature.Checker{Keys: keys}, err
}

// parsePrefixes reads addresses and networks, divided by commas.
func parsePrefixes(list []string) (prefixes []netip.Prefix, err error) {
	for _, text := range list {
		p, err := audit.ParsePrefix(text)
		if err != nil {
			return nil, cli.UsageError("as in 10.0.0.0/8,2001:db8::1",
				"--trusted-proxies: %q is neither an address nor a network", text)
		}
		prefixes = append(prefixes, p)
	}
	return prefixes, nil
}
