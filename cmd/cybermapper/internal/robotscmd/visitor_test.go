package robotscmd

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/cobra"
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
