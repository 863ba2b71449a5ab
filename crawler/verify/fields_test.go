package verify_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/ledger/ledgertest"
)

// notEvidence lists the fields of which a lie cannot be told from the truth by what lies in the directory, and why. A key is
// the type of the record, the event of a run, the field, and the lie if only that one goes unseen. All else must be seen.
var notEvidence = map[string]string{
	"run start.Torn":                "what the last run left is put in order and gone",
	"run start.Repaired":            "likewise",
	"run opt-out.Rule altered":      "the list of the operator is not part of the evidence",
	"run opt-out.Boot":              "it may be written before a run has begun",
	"run opt-out.BootAt":            "likewise",
	"run opt-out-lifted.Boot":       "likewise",
	"run opt-out-lifted.BootAt":     "likewise",
	"run repair.Boot":               "nothing rests on when it was",
	"run repair.BootAt":             "likewise",
	"run repair.Why":                "nothing rests on what was put in order; that it was, is on record",
	"run again.Why":                 "nothing rests on how much was asked for once more; that it may be, is on record",
	"run stop.Why":                  "nothing rests on why a run ended",
	"run stop.Version struck out":   "the beginning of the run has it",
	"run stop.Product struck out":   "likewise",
	"run stop.UserAgent struck out": "likewise",
	"seed.URL":                      "what the operator wants to be visited is asked of robots.txt when its turn comes",
	"seed.Why":                      "a note of the operator",
	"seed.Reason":                   "what the queue said of it then",

	"request.Tenure":                           "one process has no right to name; the rights of several are held against each other (TestProveAll_Tenure)",
	"request.Via":                              "where links lead is the sites' business, and changes",
	"request.Depth":                            "likewise",
	"request.Attempt one more":                 "an attempt that a kill interrupted is not on record",
	"request.Proto":                            "nothing rests on the version of HTTP",
	"request.Proxy":                            "which way a request went is nobody's promise",
	"request.From struck out":                  "a crawler behind a router does not know it; the log of the site does",
	"request.FirstByte struck out":             "nothing rests on when an answer began",
	"request.Status one more":                  "only the site knows what it answered; what follows from each class of answers is judged",
	"request.Bytes":                            "only the site knows how much it sent; the body that was kept has its own digest",
	"request.Truncated":                        "likewise",
	"request.Location":                         "where a page moved to is judged when it is asked for",
	"request.Error altered":                    "only the site knows why it did not answer",
	"request.ErrorText":                        "for people",
	"request.Owed struck out":                  "a permit that was given back unused leaves less to be owed; what was owed is judged by the record before",
	"request for robots.txt.Attempt":           "there is one",
	"request for robots.txt.Status one more":   "as of any request",
	"request for robots.txt.Owed struck out":   "as of any request",
	"request for robots.txt.Expires earlier":   "what Cache-Control the site sent is not on record; asking more often than it promised is judged",
	"request for robots.txt.NotBefore earlier": "the run does not promise how long a site is left alone whose robots.txt cannot be had",
	"request for robots.txt.NotBefore later":   "likewise",

	"outcome.Via":               "as of a request",
	"outcome.Depth":             "as of a request",
	"outcome.Reason":            "nothing rests on it; the answer is on record",
	"outcome.Bytes":             "the body has its size and digest in the list of pages",
	"outcome.Location":          "as of a request",
	"outcome.SameAs":            "the list of pages has it too",
	"outcome.LinksFound":        "what is on a page can be looked up in it",
	"outcome.LinksNew":          "likewise",
	"outcome.LinksOnward":       "likewise",
	"outcome.NotBefore earlier": "the run does not promise how long a page is left alone",

	"refusal.Via":          "as of a request",
	"refusal.Depth":        "as of a request",
	"other refusal.Via":    "as of a request",
	"other refusal.Depth":  "as of a request",
	"other refusal.URL":    "what the operator does not want is not judged",
	"other refusal.Rule":   "a bound of the operator",
	"other refusal.Reason": "likewise",
}

// TestProve_EveryFieldOfEveryRecord tells one lie of each kind about every field of every type of record, and computes the chain
// anew. A lie is seen when something is not proven any more, or when the terms that go with every verdict show it. A field that is
// new must be judged, or be listed with a reason; and the sample must have it.
func TestProve_EveryFieldOfEveryRecord(t *testing.T) {
	j := write(t, everything())
	honest := prove(t, j, verify.Options{})
	if honest.Verdict != verify.Proven {
		for _, p := range honest.Promises {
			t.Logf("%s %s %v", p.Verdict, p.Name, p.Findings)
		}
		t.Fatalf("the truth is %s", honest.Verdict)
	}
	records := readAll(t, j)
	needed, sampled := map[string]bool{}, map[string]bool{}
	for _, kind := range kinds(records) {
		for _, field := range reflect.VisibleFields(reflect.TypeFor[ledger.Record]()) {
			if slices.Contains([]string{"Seq", "Prev", "Format", "Policy"}, field.Name) {
				continue // are set by Append; a policy is looked at below
			}
			n := slices.IndexFunc(records, func(r ledger.Record) bool {
				return kindOf(r) == kind && !reflect.ValueOf(r).FieldByIndex(field.Index).IsZero()
			})
			if n < 0 {
				continue
			}
			sampled[field.Name] = true
			for name, lie := range lies(reflect.ValueOf(records[n]).FieldByIndex(field.Index)) {
				told := slices.Clone(records)
				reflect.ValueOf(&told[n]).Elem().FieldByIndex(field.Index).Set(lie)
				judgeLie(t, j, honest, told, needed, kind+"."+field.Name, name)
			}
		}
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[ledger.Policy]()) {
		for name, lie := range lies(reflect.ValueOf(*records[0].Policy).FieldByIndex(field.Index)) {
			told, policy := slices.Clone(records), *records[0].Policy
			reflect.ValueOf(&policy).Elem().FieldByIndex(field.Index).Set(lie)
			told[0].Policy = &policy
			judgeLie(t, j, honest, told, needed, "policy."+field.Name, name)
		}
	}
	for _, c := range constantsOf(t, "record.go") {
		if !slices.ContainsFunc(records, func(r ledger.Record) bool { return string(r.Type) == c || r.Event == c }) {
			t.Errorf("no record of the sample is of the type, or tells of the event, %q: add one to everything", c)
		}
	}
	unwritten := []string{"WireBytes", "MediaType", "ETag"}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[ledger.Record]()) {
		if !sampled[field.Name] && !slices.Contains(append(unwritten, "Seq", "Prev", "Format", "Policy"), field.Name) {
			t.Errorf("no record of the sample has %s: add it to everything", field.Name)
		}
	}
	for key := range notEvidence {
		if !needed[key] {
			t.Errorf("%s is listed as no evidence, but every lie about it is seen", key)
		}
	}
}

// constantsOf returns the texts of all constants in a file of package ledger: the types of records, and the events.
func constantsOf(t *testing.T, file string) (texts []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "storage", "ledger", file), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for _, v := range spec.Values {
			if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				texts = append(texts, text)
			}
		}
		return true
	})
	if len(texts) < 10 {
		t.Fatalf("%s has %q only", file, texts)
	}
	return texts
}

// judgeLie fails the test when a lie goes unseen that no reason covers.
func judgeLie(t *testing.T, j verify.Job, honest *verify.Report, told []ledger.Record, needed map[string]bool, field, lie string) {
	t.Helper()
	rewrite(t, j, told)
	r, err := verify.Prove(t.Context(), j, verify.Options{})
	if err != nil || r.Verdict != verify.Proven || !cmp.Equal(r.Terms, honest.Terms) {
		return
	}
	for _, key := range []string{field, field + " " + lie} {
		if notEvidence[key] != "" {
			needed[key] = true
			return
		}
	}
	t.Errorf("%s: %s and nobody saw it", field, lie)
}

// kindOf is the type of a record, with the event of a run and the purpose of a request for robots.txt.
func kindOf(r ledger.Record) string {
	switch {
	case r.Type == ledger.Run:
		return "run " + r.Event
	case r.Type == ledger.Request && r.Purpose == "robots":
		return "request for robots.txt"
	case r.Type == ledger.Refusal && r.Gate != "robots":
		return "other refusal"
	}
	return string(r.Type)
}

func kinds(records []ledger.Record) (kinds []string) {
	for _, r := range records {
		if k := kindOf(r); !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// lies returns what may be told in place of a value.
func lies(v reflect.Value) map[string]reflect.Value {
	to := map[string]any{}
	switch x := v.Interface().(type) {
	case time.Time:
		to["struck out"], to["later"], to["earlier"] = time.Time{}, x.Add(6*time.Hour), x.Add(-6*time.Hour)
	case ledger.Millis:
		to["struck out"], to["much more"], to["negative"] = ledger.Millis(0), x+ledger.Millis(time.Hour), -x-1
	case string:
		to["struck out"], to["altered"] = "", "x"+x
	case ledger.Type:
		to["altered"] = "x" + x
	case int:
		to["struck out"], to["one more"], to["negative"] = 0, x+1, -1
	case int64:
		to["struck out"], to["one more"], to["negative"] = int64(0), x+1, int64(-1)
	case float64:
		to["struck out"], to["more"] = 0.0, x+1
	case bool:
		to["turned"] = !x
	default:
		panic(fmt.Sprintf("no lies are known about a %T", x))
	}
	values := map[string]reflect.Value{}
	for name, x := range to {
		values[name] = reflect.ValueOf(x).Convert(v.Type())
	}
	return values
}

// readAll returns the records of a job, without what Append sets.
func readAll(t *testing.T, j verify.Job) (records []ledger.Record) {
	t.Helper()
	for r, err := range ledger.Read(j.Ledger, ledger.ReadOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

// rewrite puts other records in the place of a ledger, with a chain of their own.
func rewrite(t *testing.T, j verify.Job, records []ledger.Record) {
	t.Helper()
	if err := os.RemoveAll(j.Ledger); err != nil {
		t.Fatal(err)
	}
	ledgertest.Write(t, j.Ledger, ledger.Options{}, records...)
}

// everything is a crawl whose ledger has every type of record, and every field of each.
func everything() []ledger.Record {
	start := ledger.Record{
		Type: ledger.Run, Event: ledger.EventStart, Time: began, Product: "cybermapper", Version: "1.0", UserAgent: "cybermapper/1.0 (+x@example.org)",
		Key: "example.org+00+A", Policy: policy(), Torn: 12, Repaired: 1,
	}
	override := ledger.Record{Type: ledger.Run, Event: ledger.EventOverride, Time: began, Site: "own.example", Connections: 2, Gap: secs(0.5), GapWhy: "override"}
	moved := robotsRequest(0.5)
	moved.Status, moved.Location, moved.Outcome, moved.Digest, moved.Expires = 301, "/r.txt", "redirected", "", time.Time{}
	found := robotsRequest(3)
	found.URL = base + "/r.txt"
	tdm := request("/.well-known/tdmrep.json", 6)
	tdm.Purpose = "tdmrep"
	tdm.Tenure = "node1/3/57"
	probe := request("/cybermapper-asks-for-a-page-that-does-not-exist-x", 9)
	probe.Purpose = "probe"
	tdm.Attempt, probe.Attempt = 0, 0 // only what waits in the queue is counted
	front := request("/", 12)
	front.FirstByte, front.Proto, front.Bytes, front.Via, front.Depth = front.Start.Add(50*time.Millisecond), "HTTP/1.1", 1, base+"/x", 1
	front.Proxy = "socks5://127.0.0.1:1080"
	done := outcome("/", 12.2)
	done.Via, done.Depth, done.LinksFound, done.LinksNew, done.LinksOnward, done.Bytes = front.Via, 1, 3, 2, 1, 1
	press := request("/private/press", 15)
	press.RobotsLine, press.RobotsRule, press.RobotsReason = 3, "Allow: /private/press", "rule"
	press.From = "192.0.2.9"
	same := outcome("/private/press", 15.2)
	same.SameAs = "other"
	busy := request("/busy", 18)
	busy.Status, busy.RetryAfter, busy.Truncated = 503, "30", "length"
	rest := ledger.Record{Type: ledger.Rest, Time: at(18.2), Site: host, NotBefore: at(78.2), Reason: "unavailable", ErrorText: "30", Attempt: 1}
	later := outcome("/busy", 18.3)
	later.Outcome, later.File, later.Digest, later.Status, later.NotBefore, later.Reason = "retrying", "", "", 503, at(88), "unavailable"
	again := request("/busy", 90)
	again.Attempt = 2
	gone := request("/gone", 93)
	gone.Status, gone.Error, gone.ErrorText = 0, "timeout", "no answer"
	down := robotsRequest(96)
	down.Origin, down.URL, down.Address = "https://a.example", "https://a.example/robots.txt", "192.0.2.1:443"
	down.Status, down.Outcome, down.Digest, down.Expires, down.NotBefore = 500, "unreachable", "", time.Time{}, at(3600)
	moving := request("/moved", 99)
	moving.Status, moving.Location = 301, "/"
	movedOn := outcome("/moved", 99.2)
	movedOn.Status, movedOn.File, movedOn.Digest, movedOn.Location = 301, "", "", base+"/"
	return setClock(2*time.Hour, paced([]ledger.Record{
		start, override, moved, found, tdm, probe, front, done, press, same,
		{Type: ledger.Refusal, Time: at(15.3), URL: base + "/private/diary", Via: base + "/", Depth: 1, Gate: "robots", Reason: "robots-disallow",
			Rule: "Disallow: /private/", Line: 2, Digest: digest(file)},
		{Type: ledger.Refusal, Time: at(15.4), URL: base + "/slow", Via: base + "/", Depth: 1, Gate: "limit", Reason: "crawl-delay", Rule: "asks for 2s",
			Line: 4, Digest: digest(file)},
		noindexOf("/private/press", 15.5), purgeOf("/private/press", 15.6),
		busy, rest, later,
		{Type: ledger.Run, Event: ledger.EventOptOut, Time: at(20), Rule: "*.example.net"},
		{Type: ledger.Run, Event: ledger.EventOptOut, Time: at(20), Rule: host},
		{Type: ledger.Run, Event: ledger.EventLifted, Time: at(80), Rule: host},
		{Type: ledger.Seed, Time: at(81), URL: base + "/busy", Outcome: "known", Why: "because", Reason: "r"},
		again, outcome("/busy", 90.2), gone, down,
		{Type: ledger.Run, Event: ledger.EventClock, Time: at(97), Set: secs(7200)},
		moving, movedOn,
		{Type: ledger.Run, Event: ledger.EventRepair, Time: at(99.5), Why: "the queue was lost"},
		{Type: ledger.Run, Event: ledger.EventAgain, Time: at(99.6), Why: "all"},
		{Type: ledger.Run, Event: ledger.EventStop, Time: at(101), Why: "done", Version: "1.0", Product: "cybermapper", UserAgent: start.UserAgent},
	}))
}

// setClock tells all times from the record of a clock that was set on as that clock does.
func setClock(by time.Duration, records []ledger.Record) []ledger.Record {
	set := false
	for i := range records {
		r := &records[i]
		set = set || r.Event == ledger.EventClock
		for _, at := range []*time.Time{&r.Time, &r.Start, &r.FirstByte, &r.End, &r.NotBefore, &r.Expires} {
			if set && !at.IsZero() {
				*at = at.Add(by)
			}
		}
	}
	return records
}
