package robotscmd

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/robots"
)

// TestVisitor_UserAgent: who asks about another robot does not go about under its name, and is bound by its own rules.
func TestVisitor_UserAgent(t *testing.T) {
	var agents []string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents = append(agents, r.UserAgent())
		if r.URL.Path == "/robots.txt" {
			fmt.Fprint(w, "User-agent: otherbot\nDisallow: /\n")
		}
	}))
	defer site.Close()
	for _, c := range []struct {
		cmd     *cobra.Command
		args    string
		refused bool
	}{
		{newCheckCommand(), "--robots " + site.URL + "/robots.txt /p", true},
		{NewInspectCommand(), site.URL + "/p", false},
	} {
		c.cmd.SetArgs(append(strings.Fields(c.args), "--allow-private", "--product", "otherbot"))
		c.cmd.SetOut(io.Discard)
		c.cmd.SilenceUsage, c.cmd.SilenceErrors = true, true
		if err := c.cmd.Execute(); (err != nil) != c.refused {
			t.Errorf("%s %s: %v", c.cmd.Name(), c.args, err)
		}
	}
	for _, agent := range agents {
		if !strings.HasPrefix(agent, "cybermapper/") {
			t.Errorf("a request was made as %s", agent)
		}
	}
	if len(agents) != 3 {
		t.Errorf("%d requests, want 3", len(agents))
	}
}

// TestVisitor_CutOff: whether there is a robots.txt is said by the status alone, as in a crawl: only half a file is no answer.
func TestVisitor_CutOff(t *testing.T) {
	for _, c := range []struct {
		status  int
		outcome robots.Outcome
	}{
		{http.StatusOK, robots.Unreachable},
		{http.StatusUnauthorized, robots.Unavailable},
		{http.StatusNotFound, robots.Unavailable},
		{http.StatusServiceUnavailable, robots.Unreachable},
		{http.StatusFound, robots.Found},
	} {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/robots.txt" {
				fmt.Fprint(w, "User-agent: *\nDisallow: /\n")
				return
			}
			w.Header().Set("Location", "/elsewhere")
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(c.status)
			fmt.Fprint(w, "half")
		}))
		v := newVisitor(visitorOptions{allowPrivate: true})
		answer, err := v.rules(t.Context(), site.URL)
		if err != nil || answer.State.Outcome != c.outcome {
			t.Errorf("%d, body cut off: %v, %v, want %v", c.status, answer.State, err, c.outcome)
		}
		v.Close()
		site.Close()
	}
}
