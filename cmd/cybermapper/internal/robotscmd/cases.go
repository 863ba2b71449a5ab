package robotscmd

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots"
)

// maxCaseLine bounds a line of a case file, in bytes.
const maxCaseLine = 16 << 20

// A testCase is one line of a case file: a robots.txt, a question, and the right answer.
type testCase struct {
	ID      string         `json:"id"`
	Dialect robots.Dialect `json:"dialect"`
	Robots  string         `json:"robots"`
	Base64  string         `json:"robots_b64"` // instead of Robots, for files that are not UTF-8
	Repeat  *struct {
		Line  string `json:"line"`
		Times int    `json:"times"`
		Then  string `json:"then"`
	} `json:"robots_repeat"` // appended to either
	Agent string `json:"agent"`
	URL   string `json:"url"`
	Allow *bool  `json:"allow"`
	Why   string `json:"why"`
}

func newTestCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "test FILE.jsonl",
		Short: "Run test cases of robots.txt verdicts",
		Long: `Runs test cases, one JSON object per line, each under the dialect it names:

  {"id": "tmp-1", "dialect": "rfc9309", "robots": "User-agent: *\nDisallow: /tmp/\n",
   "agent": "cybermapper", "url": "http://example.org/tmp/x", "allow": false, "why": "prefix"}

robots_b64 stands for robots where the file is not UTF-8; robots_repeat {line, times, then} is
appended to either. Prints the cases that fail and, last, how many passed and failed.

Exit codes:
  0    all passed
  1    some failed
  2    the cases could not be read
`,
		Example: "  cybermapper robots test cases.jsonl\n  cybermapper robots test - < cases.jsonl",
		Args:    cli.Exactly(1, "file of cases"),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := cli.OpenInput(cmd, args[0])
			if err != nil {
				return &cli.Error{Code: cli.ExitUsage, Err: err}
			}
			defer in.Close()
			return testRobots(cmd.OutOrStdout(), in)
		},
	}
}

// testRobots runs all cases of r and prints those that fail.
func testRobots(w io.Writer, r io.Reader) error {
	out := bufio.NewWriter(w)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxCaseLine)
	passed, failed, strange := 0, 0, 0
	for number := 1; lines.Scan(); number++ {
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if len(line) == 0 {
			continue
		}
		if err := runCase(line); err != nil {
			failed++
			if errors.Is(err, errNoCase) {
				strange++
			}
			fmt.Fprintf(out, "line %d: %s\n", number, say.Printable(err.Error()))
			continue
		}
		passed++
	}
	if err := lines.Err(); err != nil {
		return &cli.Error{Code: cli.ExitUsage, Err: fmt.Errorf("read cases: %w", err)}
	}
	if passed+failed == strange {
		return &cli.Error{Code: cli.ExitUsage, Err: errors.New("read cases: there is none")}
	}
	if fmt.Fprintf(out, "%d passed, %d failed\n", passed, failed); out.Flush() != nil {
		return &cli.Error{Code: cli.ExitUsage, Err: errors.New("print the result: stdout cannot be written")}
	}
	if failed > 0 {
		return &cli.Error{Code: cli.ExitFailure}
	}
	return nil
}

// errNoCase is a line that holds no case.
var errNoCase = errors.New("not a case")

// runCase returns what is wrong with the verdict on one case, or with the case.
func runCase(line []byte) error {
	var c testCase
	if err := json.Unmarshal(line, &c); err != nil {
		return fmt.Errorf("%w: %w", errNoCase, err)
	}
	if c.Allow == nil {
		return fmt.Errorf("%s: the case does not say what to expect: allow is missing", c.ID)
	}
	body, err := c.body()
	if err != nil {
		return fmt.Errorf("%s: %w", c.ID, err)
	}
	u, err := frontier.ParseURL(c.URL)
	if err != nil {
		return fmt.Errorf("%s: %w", c.ID, err)
	}
	v := robots.Parse(body, c.Dialect).RulesFor(u.Origin(), c.Agent).Test(u.PathQuery())
	if v.Allowed == *c.Allow {
		return nil
	}
	return fmt.Errorf("%s (%s): %s for %s is %s, want %s: %s", c.ID, c.Dialect, c.URL, c.Agent, say.Verdict(v),
		say.Allowed(*c.Allow), c.Why)
}

func (c *testCase) body() ([]byte, error) {
	body := []byte(c.Robots)
	if c.Base64 != "" {
		decoded, err := base64.StdEncoding.DecodeString(c.Base64)
		if err != nil {
			return nil, fmt.Errorf("robots_b64: %w", err)
		}
		body = decoded
	}
	if r := c.Repeat; r != nil {
		if r.Times < 0 || r.Times*len(r.Line) > maxCaseLine {
			return nil, errors.New("robots_repeat makes a file that is too long")
		}
		body = append(body, strings.Repeat(r.Line, r.Times)+r.Then...)
	}
	return body, nil
}
