package audit_test

import (
	"slices"
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
)

// TestReport_NewAgents: a User-Agent is new if it came late and more than once or twice, though its token is known.
func TestReport_NewAgents(t *testing.T) {
	var w logWriter
	for i := range 100 {
		w.at(float64(i), "192.0.2.1", "Googlebot/2.1", "/", 200, 10)
	}
	for i := range 5 {
		for _, agent := range []string{"Googlebot/3.0", "Googlebot/2.1", "Fresh/1 (+https://fresh.example/)", browser, "-"} {
			w.at(95+float64(i), "192.0.2.2", agent, "/", 200, 10)
		}
	}
	w.at(96, "192.0.2.2", "Googlebot/3.0", "/again", 200, 10)
	w.at(97, "192.0.2.3", "Googlebot/once", "/", 200, 10)
	r := run(t, w.b.String(), audit.Options{})
	want := []audit.NewAgent{
		{Agent: "Googlebot/3.0", Token: "Googlebot", First: start.Add(95e9), Requests: 6},
		{Agent: "Fresh/1 (+https://fresh.example/)", Token: "Fresh", First: start.Add(95e9), Requests: 5},
	}
	if !slices.Equal(r.NewAgents, want) || r.NewAgentCount != 2 || r.NewBrowsers != 1 {
		t.Errorf("%+v, %d in all, %d browsers; want %+v", r.NewAgents, r.NewAgentCount, r.NewBrowsers, want)
	}
	if r := run(t, w.b.String(), audit.Options{MaxAddresses: 1}); len(r.NewAgents) != 1 || r.NewAgentCount != 2 {
		t.Errorf("%d of %d are listed, want 1 of 2", len(r.NewAgents), r.NewAgentCount)
	}
	if r := run(t, "", audit.Options{}); r.NewAgents == nil {
		t.Error("the list is null in the report of an empty log")
	}
}
