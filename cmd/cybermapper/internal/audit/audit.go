package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/netip"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/audit/auditpage"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

const help = `Reads access logs and says of each robot: did it ask for robots.txt, did it go where that forbids
(with the lines of log and file), did it keep the Crawl-delay, how fast was it, what did it get twice.
People are counted apart, and so are fetchers that act for a waiting person. A client that claims to be a
browser and behaves like a robot is listed. Neighbouring addresses (/24, /48) are also looked at together,
for a robot may spread over many.

Logs may be rotated, of several servers at once (all are read in order of time) and compressed with gzip;
- is stdin. The same lines twice are an error. HOST=LOG says whose log it is that does not name
its host, as in www.example.org=access.log. Recognised line by line are the common and the combined format,
that with the virtual host in front, those of lighttpd, Traefik, HAProxy (option httplog or httpslog, also clf), IIS,
Tomcat and CloudFront (W3C, with its line #Fields), Amazon's load balancers and S3, Envoy and Istio, Nginx Proxy
Manager, log4js (its connectLogger), Squid and Apache Traffic Server (their native format, which has no
User-Agent), labelled values with tabs between them (LTSV), and JSON lines as nginx, Apache,
Caddy, Tomcat, Traefik, Envoy, CloudFront, Fastly, Akamai's DataStream, Cloudflare's Logpush, Elastic's Beats and the load
balancers of Google and Azure write them; also in what syslog, journald, Docker, Kubernetes, Filebeat and Loki put around it.
HAProxy logs a User-Agent only if it captures it, and, as log4js, times without a zone, which count as UTC.
Malformed lines are counted, and the first are shown, with who is in most. Where the log has lists as in X-Forwarded-For,
--trusted-proxies says which proxies are yours: the client is the last address that is none of them.

Without --robots and --history nothing can be disallowed. A robots.txt proves nothing about the time
before it was there: with --robots, requests are judged from when the file was written, or from
--robots-since, and not before the log shows answers for /robots.txt of another size. With --history each
request is judged by the file of its time. A history is a directory of copies named by the time from which
they were served, as in 2026-03-01.txt or 2026-03-01T1200Z.txt (UTC; .closed for a time at which it could
not be had), or with a directory of such copies for each host, which has its name; a robots.txt in a git repository,
whose commits count from their time; or the directory of a crawl, which has the copies that it got, each of
which may have been there since it looked before.

Nobody is blamed in doubt. A robot may use a copy that it got for 24 hours, and what the robots of one
owner got counts for all of them. What is disallowed must be so in every reading that a robot may honestly
follow: RFC 9309, the standard of 1994, lists of names, the names that it falls back to. Only crawlers have
faults: known ones, those that ask for robots.txt, and those that behave so.

A name is a claim. --ranges names a JSON file with the addresses from which robots come, as their makers
publish them: {"googlebot": {"prefixes": [...]}, "examplebot": ["192.0.2.0/24"]}.
--dns asks DNS for the name of each address of a robot whose maker says in which domain it is, and whether
that name leads back to the address, for up to 1,000 addresses. Without it nothing leaves this machine.
Robots may sign their requests (Web Bot Auth, RFC 9421). --keys names a JSON file with their public keys, as
they publish them at /.well-known/http-message-signatures-directory: {"examplebot": {"keys": [...]}}. The
log must have the header fields: Caddy's has them, unless they are filtered out; for nginx, log
$http_signature, $http_signature_input and $http_signature_agent as JSON under these names, and $http_host
and $request_uri, and what else robots sign. A signature that covers what the log does not have, or may not
have as it was sent, proves nothing.

--networks names a table of networks and who holds them, perhaps compressed with gzip: lines with network,
owner and contact for abuse, or with first address, last address, number of the autonomous system, country
and name, divided by tabs or commas. Nobody is asked; where nobody is known to hold an address that needs
a look, the whois command that would ask is printed.

--notes names a file of records about robots, as in the robots database of the 1990s, which add to those
that come with this program or take their place: lines of the form "robot-id: token", "robot-owner-name:",
"robot-owner-email:", "robot-notes:", and a blank line between records; package robots/roster has all
fields. Owner, contact and notes are shown with the robot. --write-notes writes records into such a file,
to be filled in, of robots that nobody has a record of and that came more than sporadically; what the file
has stays.

Where the log has response times, the report says what rate of requests the site bore before answers got
slower, and whether the others suffered while a robot was there. --load names a CSV file with what a log
cannot know; its header is time,load,connections, one of the last two may be missing, and its times are as
in 2026-03-01T12:00:00Z, 2026-03-01 12:00:00 (UTC) or seconds since 1970.

--bundle writes what is to be known of an incident into one zip file: a folder for each operator whose
robots broke rules under their own names, with a letter, what its robots did, and the lines of the log that
are cited, and of nobody else; with --visitor, a folder of its lines. --before shows whether a block worked:
requests a day and those refused (403, 429), before that time and since. --bundle - and --html - write to
stdout, and then nothing else does.

--follow reads what the logs have, then goes on as they are written, also when they are rotated, until it is
interrupted or, where the only log is - (stdin), that ends; then the report follows. On a terminal it shows
who is here now, at which pace, and which rules were broken; elsewhere it says so every 10 seconds (--every).
With --json each line is an object: that of the event now has who came in the last minute, that of broken a
rule that was broken again, that of end the report.

The JSON has the schema cybermapper-audit/2, documented in package robots/accesslog/audit, and for what
the site bore in robots/accesslog/strain.

Exit codes:
  0    no rule was broken, as far as the log shows
  1    at least one robot broke a rule
  2    error: a file that cannot be read, no log line in it, most lines not
       understood and no rule seen broken, wrong usage
  130  interrupted
`

const examples = `  cybermapper audit --robots htdocs/robots.txt /var/log/nginx/access.log*
  cybermapper audit --history robots-history --json access.log | jq '.robots[] | select(.faults != [])'
  cybermapper audit --visitor 192.0.2.7 access.log          # one visitor, visit by visit
  cybermapper audit --robots robots.txt --from 2026-03-01T12:00 --to 2026-03-01T13:00 --bundle incident.zip access.log
  cybermapper audit --robots robots.txt --html audit.html access.log
  cybermapper audit --notes robots.notes --write-notes robots.notes access.log
  { echo time,load; while sleep 60; do echo "$(date +%s),$(cut -d' ' -f1 /proc/loadavg)"; done; } > load.csv
  sadf -dU -- -q | awk -F';' 'BEGIN {print "time,load"} !/^#/ && NF > 6 {print $3 "," $6}' > load.csv
  cybermapper audit --load load.csv access.log              # was it a problem?
  cybermapper audit --error-log /var/log/nginx/error.log /var/log/nginx/access.log
  journalctl -u caddy -o cat | cybermapper audit --robots robots.txt -`

// NewCommand returns the command audit.
func NewCommand() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     "audit [HOST=]LOG...",
		Short:   "Show from access logs which robots came, and how they behaved",
		Long:    help,
		Example: examples,
		Args:    cli.AtLeast(1, "LOG"),
		RunE:    func(cmd *cobra.Command, args []string) error { return cli.Trouble(run(cmd, o, args)) },
	}
	o.flags(cmd.Flags())
	return cmd
}

// run audits the logs and prints the report.
func run(cmd *cobra.Command, o options, logs []string) error {
	options, format, err := o.read(cmd)
	if err != nil {
		return err
	}
	notebook, err := openNotebook(cmd, o.writeNotes)
	if err != nil {
		return err
	}
	var bundle bundle
	if o.all {
		options.MaxEvidence = math.MaxInt32
	}
	var report *audit.Report
	if o.follow {
		report, err = follow(cmd, o, options, format, logs)
	} else if report, err = readLogs(cmd, o, options, format, logs, &bundle); err == nil {
		err = checkLoad(options.Load, report)
	}
	if err != nil {
		return err
	}
	if o.bundle != "" {
		err = bundle.write(cmd, o.bundle, report)
	}
	if err == nil && o.html != "" {
		err = writePage(cmd, o.html, report)
	}
	if err == nil && notebook != nil {
		err = notebook.write(cmd, report, options.Roster, o.quiet)
	}
	switch {
	case err != nil, o.html == "-", o.bundle == "-":
	case o.asJSON && o.follow:
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(event{Event: "end", Report: report})
	case o.asJSON:
		err = cli.EncodeJSON(cmd.OutOrStdout(), report)
	default:
		printReport(cmd.OutOrStdout(), report, o.all)
	}
	switch {
	case err != nil:
	case len(report.Faults) > 0:
		err = &cli.Error{Code: cli.ExitFailure}
	case report.IsUnread(): // 0 would say that nobody broke a rule
		err = cli.WithHint(errors.New("no verdict: most lines of the log could not be read"),
			"--format says what kind of log it is")
	}
	return err
}

// writePage writes the report as HTML.
func writePage(cmd *cobra.Command, name string, r *audit.Report) error {
	var b bytes.Buffer
	if err := auditpage.Write(&b, r); err != nil {
		return err
	}
	return writeFile(cmd, name, "the page", b.Bytes())
}

// writeFile writes a file whole or not at all, or to stdout for "-".
func writeFile(cmd *cobra.Command, name, what string, data []byte) error {
	if err := cli.WriteFile(cmd.OutOrStdout(), name, data); err != nil {
		return fmt.Errorf("write %s: %w", what, err)
	}
	return nil
}

// maxRanges is how long a file of ranges may be, or of keys.
const maxRanges = 16 << 20

// readLogs takes in all logs, in order of time, and reads what goes into the bundle, if there is to be one.
func readLogs(cmd *cobra.Command, o options, options audit.Options, format accesslog.Format, names []string,
	b *bundle) (r *audit.Report, err error) {
	trusted, err := parsePrefixes(o.proxies)
	if err != nil {
		return nil, err
	}
	logs, err := openLogs(cmd, names)
	defer func() {
		for _, l := range logs {
			err = errors.Join(err, l.Close())
		}
	}()
	if err != nil {
		return nil, err
	}
	meter := newMeter(cmd.ErrOrStderr(), o.quiet, logs)
	defer meter.end()
	var sources []accesslog.Source
	for _, l := range logs {
		sources = append(sources, meter.source(cmd.Context(), l))
	}
	a, err := readAll(sources, format, trusted, options)
	if ended := ended(cmd.Context()); ended != nil {
		return nil, ended
	}
	if err != nil {
		return nil, err
	}
	r = a.Report()
	if r.Total.Requests == 0 && r.Outside == 0 {
		return nil, noRequests(r.Log)
	}
	if o.bundle != "" {
		err = b.collect(r, sources)
	}
	return r, err
}

// readAll takes in what logs have.
func readAll(sources []accesslog.Source, f accesslog.Format, trusted []netip.Prefix, o audit.Options) (*audit.Auditor, error) {
	m := accesslog.NewMerge(sources...)
	m.Format, m.Trusted = f, trusted
	m.MaxMemory = sortMemory(m.MaxMemory, cli.MaxMemory())
	a, err := audit.ReadAll(m, func() *audit.Auditor { return audit.New(o) })
	if _, ok := errors.AsType[*accesslog.DuplicateError](err); ok {
		err = cli.UsageError("give each line once: they were copied, or put together twice", "%w", err)
	}
	return a, err
}

// sortMemory returns how much the lines of logs that are not in order may take while they are sorted, which is usual bytes, where
// most bytes of memory may be taken in all, 0 for any number: an eighth, as it takes twice as much while it grows.
func sortMemory(usual int, most uint64) int {
	if most == 0 {
		return usual
	}
	return int(min(uint64(usual), most/8))
}

// noRequests says why there is nothing to audit.
func noRequests(t accesslog.Tally) error {
	if len(t.Samples) == 0 {
		return errors.New("there is nothing in the log")
	}
	first := t.Samples[0]
	return cli.WithHint(fmt.Errorf("none of the lines is a request; %s:%d: %s: %s", first.File, first.Line, first.Why,
		say.Clip(first.Text, 80)),
		"--format says what the log is, if it is not recognised: "+accesslog.FormatNames+
			"; if it is of another kind, let a server write the combined format, or JSON")
}

// ended says that the command was interrupted.
func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return &cli.Error{Code: cli.ExitInterrupted, Err: errors.New("interrupted")}
}
