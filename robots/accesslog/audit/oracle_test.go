package audit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// A tally is what an oracle counts of one visitor: requests and bytes.
type tally struct{ requests, bytes int64 }

// count counts by maps of strings: for each robot and address, for each status, and for those without a name.
func count(t testing.TB, log []byte) (robots map[string]tally, status map[int]int64, nameless tally) {
	t.Helper()
	robots, status = map[string]tally{}, map[int]int64{}
	list := roster.NewList(roster.Bundled())
	r := accesslog.NewReader(bytes.NewReader(log), accesslog.Auto)
	for r.Next() {
		e := r.Entry()
		status[e.Status]++
		token, class := audit.Classify(list, string(e.Agent))
		if class == audit.ClassBrowser || class == audit.ClassUnnamed {
			nameless.requests++
			nameless.bytes += e.Bytes
			continue
		}
		key := token + " " + string(e.Client)
		robots[key] = tally{robots[key].requests + 1, robots[key].bytes + e.Bytes}
	}
	return robots, status, nameless
}

// TestAuditor_AgreesWithPlainMaps: neither the table of clients nor the memory for agents loses or mixes up anything, while they
// grow and when agents are too many to be remembered.
func TestAuditor_AgreesWithPlainMaps(t *testing.T) {
	site := newBusySite(30_000)
	site.once = true // as many clients as lines
	many, err := io.ReadAll(site)
	if err != nil {
		t.Fatal(err)
	}
	few, err := io.ReadAll(newBusySite(10_000))
	if err != nil {
		t.Fatal(err)
	}
	log := append(many, few...)
	robots, status, nameless := count(t, log)
	for _, agents := range []int{0, 100} {
		r := run(t, string(log), audit.Options{Copies: history(), MaxAddresses: 1 << 20, MaxAgents: agents})
		got := map[string]tally{}
		for _, one := range r.Robots {
			for _, a := range one.Addresses {
				got[one.Token+" "+a.Client] = tally{a.Requests, a.Bytes}
			}
		}
		if !maps.Equal(got, robots) {
			t.Errorf("up to %d agents: %d visits of robots from addresses, want %d, or the counts differ", agents, len(got), len(robots))
		}
		people := tally{r.People.Requests, r.People.Bytes}
		if r.Crowd != nil {
			people.requests += r.Crowd.Requests
			people.bytes += r.Crowd.Bytes
		}
		for _, c := range r.Unusual {
			people.requests += c.Requests
			people.bytes += c.Bytes
		}
		if people != nameless || !maps.Equal(r.Total.Status, status) || r.Total.Requests != 40_000 {
			t.Errorf("up to %d agents: %+v of people, want %+v; status %v, want %v", agents, people, nameless, r.Total.Status, status)
		}
	}
}

// FuzzAuditor: whatever is in a log, each request is counted once, for a robot or for people, and the report can be written.
func FuzzAuditor(f *testing.F) {
	log, _, _ := generate()
	f.Add([]byte(log))
	f.Add([]byte(strings.Repeat(`{"ts":1772366400,"client":"\u00ff","uri":"/private/","status":200}`+"\n", 3)))
	f.Add(fmt.Appendf(nil, "\xef\xbb\xbfa 192.0.2.1 - - [01/Mar/1970:12:00:00 +0000] \"GET /robots.txt\" 200 1 \"-\" \"b\xffot\"\n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		a := audit.New(audit.Options{Copies: history(), MaxAgents: 3, MaxRobots: 3, MaxURLs: 3, MaxAddresses: 1 << 20, Visitor: "bot"})
		if err := a.Read(accesslog.NewReader(bytes.NewReader(log), accesslog.Auto), "log"); err != nil {
			t.Fatal(err)
		}
		r := a.Report()
		sum := r.OtherRobots.Requests + r.People.Requests
		if r.Crowd != nil {
			sum += r.Crowd.Requests
		}
		if r.Probes != nil {
			sum += r.Probes.Others
		}
		for _, one := range slices.Concat(r.Robots, r.UserTriggered, r.Others) {
			sum += one.Requests
		}
		for _, c := range r.Unusual {
			sum += c.Requests
		}
		if sum != r.Total.Requests || sum+r.Log.Malformed > r.Log.Lines {
			t.Errorf("%d requests, %d in the parts, of %d lines, %d malformed", r.Total.Requests, sum, r.Log.Lines, r.Log.Malformed)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
	})
}
