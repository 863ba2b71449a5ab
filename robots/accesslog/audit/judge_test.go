package audit_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/accesslog"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// madeHistory is the robots.txt of a made site over time.
func madeHistory() []audit.Copy {
	return []audit.Copy{
		{Name: "old.txt", From: start.AddDate(0, 0, -30), File: robots.Parse([]byte(madeOld), robots.RFC9309)},
		{Name: "new.txt", From: start.Add(time.Duration(changeDay * float64(24*time.Hour))), File: robots.Parse([]byte(madeNew), robots.RFC9309)},
	}
}

// identifyMade knows where Googlebot comes from.
func identifyMade(token, client string) audit.Identity {
	switch {
	case !strings.HasPrefix(token, "Googlebot"):
		return audit.Unchecked
	case strings.HasPrefix(client, "66.249."):
		return audit.Confirmed
	}
	return audit.Disproved
}

// TestJudge: of visitors of every kind nobody is blamed for what they did not do, and those who broke a rule are found, line by
// line.
func TestJudge(t *testing.T) {
	seeds := []uint64{1, 7, 23}
	if testing.Short() {
		seeds = seeds[:1]
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := newMadeSite(seed, 6)
			s.fill()
			log := strings.Join(s.log(), "\n") + "\n"
			s.check(t, run(t, log, audit.Options{Copies: madeHistory(), Identify: identifyMade, MaxEvidence: 1 << 20}), true)
		})
	}
}

// TestJudge_Divided: whether the log was written by one server or by many, rotated, put together in any order or torn, the
// judgement is the same.
func TestJudge_Divided(t *testing.T) {
	s := newMadeSite(11, 6)
	s.fill()
	all := s.log()
	rng := rand.New(rand.NewPCG(5, 5))
	nodes := make([][]string, 3)
	for _, line := range all {
		k := rng.IntN(len(nodes))
		nodes[k] = append(nodes[k], line)
	}
	var rotated [][]string
	for _, n := range nodes {
		rotated = append(rotated, n[len(n)/2:], n[:len(n)/2])
	}
	together := [][]string{slices.Concat(nodes...)}
	for name, files := range map[string][][]string{"front ends": nodes, "rotated": rotated, "put together": together} {
		r, err := audit.ReadAll(accesslog.NewMerge(sources(files)...), func() *audit.Auditor {
			return audit.New(audit.Options{Copies: madeHistory(), Identify: identifyMade})
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Run(name, func(t *testing.T) { s.check(t, r.Report(), false) })
	}
	for _, n := range nodes { // torn lines are added, none is lost
		for i := 0; i < len(n); i += 500 {
			n[i] = n[i][:rng.IntN(len(n[i])-1)] + "\n" + n[i]
		}
	}
	r, err := audit.ReadAll(accesslog.NewMerge(sources(nodes)...), func() *audit.Auditor {
		return audit.New(audit.Options{Copies: madeHistory(), Identify: identifyMade})
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("torn", func(t *testing.T) { s.check(t, r.Report(), false) })
}

// sources are logs of these lines.
func sources(files [][]string) (list []accesslog.Source) {
	for i, lines := range files {
		text := strings.Join(lines, "\n") + "\n"
		list = append(list, accesslog.Source{Name: fmt.Sprint("log", i), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }})
	}
	return list
}

// check counts false accusations and what was missed. Lines are those of the log when it is in one file.
func (s *madeSite) check(t *testing.T, r *audit.Report, lined bool) {
	t.Helper()
	blamed := map[string]audit.Robot{}
	for _, one := range r.Robots {
		if len(one.Faults) > 0 {
			blamed[one.Token+string(one.Identity[:min(1, len(one.Identity))])] = one
		}
	}
	for _, one := range slices.Concat(r.UserTriggered, r.Others) {
		if len(one.Faults) > 0 {
			t.Errorf("%s is no crawler and is blamed: %+v", one.Token, one.Faults)
		}
	}
	for _, w := range s.truths {
		if w.token == "" {
			continue
		}
		key := w.token
		if strings.HasPrefix(key, "Googlebot") {
			key += map[string]string{"family": "c", "forged": "d"}[w.kind]
		}
		one := blamed[key]
		delete(blamed, key)
		s.checkOne(t, w, one, lined)
	}
	for key, one := range blamed {
		t.Errorf("%s is blamed wrongly: %+v", key, one.Faults)
	}
	s.checkPeople(t, r)
}

// checkOne compares one robot's faults with its truth.
func (s *madeSite) checkOne(t *testing.T, w *truth, one audit.Robot, lined bool) {
	t.Helper()
	has := map[audit.FaultCode]int64{}
	for _, f := range one.Faults {
		has[f.Code] = f.Count
		if f.Reading == "" {
			t.Errorf("%s: the fault %s names no reading", w.token, f.Code)
		}
	}
	if got, want := has[audit.FaultDisallowed], int64(len(w.disallowed)); got != want {
		t.Errorf("%s: %d disallowed, want %d (excused %d, want %d)", w.token, got, want, one.Disallowed.Excused, w.excused)
	}
	if lined && len(w.disallowed) > 0 && !slices.Equal(lines(one.Disallowed.Evidence), w.disallowed) {
		t.Errorf("%s: other lines than those which are disallowed", w.token)
	}
	if got := has[audit.FaultDelay]; got != w.short {
		t.Errorf("%s: %d pauses too short, want %d", w.token, got, w.short)
	}
	if got := has[audit.FaultUnasked] > 0; got != w.unasked {
		t.Errorf("%s: blamed for not asking: %v, want %v", w.token, got, w.unasked)
	}
}

// checkPeople looks whether masks are seen through.
func (s *madeSite) checkPeople(t *testing.T, r *audit.Report) {
	t.Helper()
	people := int64(0)
	for _, w := range s.truths {
		if w.kind == "person" {
			people += w.requests
		}
	}
	if r.Crowd == nil || r.Crowd.Addresses < 2800 || r.Crowd.Addresses > 3100 {
		t.Errorf("the crowd is %+v", r.Crowd)
	}
	i := slices.IndexFunc(r.Unusual, func(c audit.Client) bool { return c.Client == "45.9.9.9" })
	if i < 0 || r.Unusual[i].Requests != 3000 || r.Unusual[i].Names < 2900 {
		t.Errorf("the address with many names is not one visitor: %+v", r.Unusual)
	}
	if more := r.People.Requests - people; more < 0 || more > people/10 {
		t.Errorf("%d requests of people, want about %d", r.People.Requests, people)
	}
}
