package robotscmd

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/compose"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// maxPolicy bounds a policy file, in bytes.
const maxPolicy = 4 << 20

// A policyFile is what robots generate reads.
type policyFile struct {
	Contact  string                  `yaml:"contact"`
	Everyone policyAccess            `yaml:"everyone"`
	Robots   map[string]policyAccess `yaml:"robots"`
	Purposes map[string]policyAccess `yaml:"purposes"`
	Sitemaps []string                `yaml:"sitemaps"`
}

type policyAccess struct {
	Deny       bool            `yaml:"deny"`
	Allow      []string        `yaml:"allow"`
	Disallow   []string        `yaml:"disallow"`
	CrawlDelay config.Duration `yaml:"crawl_delay"`
	Use        policyUse       `yaml:"use"`
}

type policyUse struct {
	Search  *bool `yaml:"search"`
	AIInput *bool `yaml:"ai_input"`
	AITrain *bool `yaml:"ai_train"`
}

func newGenerateCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "generate POLICY.yaml",
		Short: "Write a robots.txt from a short policy",
		Long: `Writes the robots.txt that says what a policy says. All keys may be left out:

  contact: webmaster@example.org     # goes into a comment
  everyone:                          # robots that have no entry below
    disallow: [/tmp/, /search]
    allow: [/tmp/public/]            # exceptions; the longer path wins
    crawl_delay: 5s
    use: {search: true, ai_input: false, ai_train: false}
  robots:
    GPTBot: {deny: true}             # kept out; does not get what everyone has
    partnerbot: {}                   # let in everywhere
  purposes:                          # known robots that are for this above all
    training: {deny: true}           # also indexing, answers, archiving, ...
  sitemaps: [https://example.org/sitemap.xml]

Under purposes, each robot is meant that this program knows, is in use and is not named under robots;
new ones appear every month, so generate the file anew now and then.

use becomes Content-Signal and Content-Usage lines: preferences that some robots honour. What each
robot gets is said on stderr.

Exit codes:
  0    done
  1    the policy is wrong, and nothing was written
  2    error
`,
		Example: `  cybermapper robots generate policy.yaml > robots.txt
  cybermapper robots generate -o htdocs/robots.txt policy.yaml`,
		Args: cli.Exactly(1, "POLICY.yaml"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.Trouble(generateRobots(cmd, args[0], output))
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write to, in place of stdout; replaced whole or not at all")
	return cmd
}

func generateRobots(cmd *cobra.Command, name, output string) error {
	data, err := cli.ReadInput(cmd, name, maxPolicy)
	if err != nil {
		return err
	}
	var file policyFile
	lines, wrong := config.Decode(name, data, &file)
	policy := file.policy(lines)
	purposes, unknown := file.addPurposes(&policy, name, lines)
	wrong = append(wrong, unknown...)
	text, mistakes := compose.Generate(policy)
	told := map[compose.Mistake]bool{} // one under a purpose is that of each of its robots
	for _, m := range mistakes {
		m.Where = cmp.Or(purposes[m.Where], m.Where)
		if told[m] {
			continue
		}
		told[m] = true
		text := m.Text
		if where := strings.TrimSpace(m.Where + " " + m.What); where != "" {
			text = where + ": " + text
		}
		wrong = append(wrong, config.MistakeAt(name, policyLine(lines, m), text))
	}
	if len(wrong) > 0 {
		config.SortMistakes(wrong)
		for _, m := range wrong {
			fmt.Fprintln(cmd.ErrOrStderr(), say.Printable(m.String()))
		}
		return &cli.Error{Code: cli.ExitFailure}
	}
	if output != "" {
		err = job.WriteFile(output, text)
	} else {
		_, err = cmd.OutOrStdout().Write(text)
	}
	sayAccess(cmd, policy, text)
	return err
}

// policy returns the policy in the order of the file.
func (f policyFile) policy(lines map[string]int) compose.Policy {
	p := compose.Policy{Contact: f.Contact, Everyone: f.Everyone.access(), Sitemaps: f.Sitemaps}
	for name, a := range f.Robots {
		p.Robots = append(p.Robots, compose.Named{Name: name, Access: a.access()})
	}
	slices.SortFunc(p.Robots, func(a, b compose.Named) int {
		return cmp.Or(cmp.Compare(lines["robots."+a.Name], lines["robots."+b.Name]), cmp.Compare(a.Name, b.Name))
	})
	return p
}

// addPurposes adds the known robots whose first purpose the file names, but for those that are retired or that it names themselves,
// and returns under which key of the file each of them stands.
func (f policyFile) addPurposes(p *compose.Policy, name string, lines map[string]int) (map[string]string, []config.Mistake) {
	keys, wrong := map[string]string{}, []config.Mistake(nil)
	byPurpose := map[string][]string{}
	for r := range roster.Known().All() {
		purpose, _, _ := strings.Cut(r.Value("robot-purpose"), ",")
		robot := r.Value("robot-name")
		if purpose != "" && r.Value("robot-status") != "retired" && !strings.ContainsAny(robot, " \t:#/") {
			byPurpose[purpose] = append(byPurpose[purpose], robot)
		}
	}
	for _, purpose := range slices.Sorted(maps.Keys(f.Purposes)) {
		if len(byPurpose[purpose]) == 0 {
			known := strings.Join(slices.Sorted(maps.Keys(byPurpose)), ", ")
			text := fmt.Sprintf("no robot is known for %q; known are %s", purpose, known)
			wrong = append(wrong, config.MistakeAt(name, lines["purposes."+purpose], text))
		}
		for _, robot := range byPurpose[purpose] {
			if !slices.ContainsFunc(p.Robots, func(n compose.Named) bool { return strings.EqualFold(n.Name, robot) }) {
				p.Robots = append(p.Robots, compose.Named{Name: robot, Access: f.Purposes[purpose].access()})
				keys[robot] = "purposes." + purpose
			}
		}
	}
	return keys, wrong
}

func (a policyAccess) access() compose.Access {
	return compose.Access{
		Deny: a.Deny, Allow: a.Allow, Disallow: a.Disallow, CrawlDelay: time.Duration(a.CrawlDelay), Use: compose.Use(a.Use),
	}
}

// policyLine returns where in the file a mistake is.
func policyLine(lines map[string]int, m compose.Mistake) int {
	for _, path := range []string{"robots." + m.Where, m.Where} {
		if line := cmp.Or(lines[path+"."+m.What], lines[path]); line > 0 {
			return line
		}
	}
	return 0
}

// sayAccess says what each robot gets, as the file says when it is read again, and how fast it is asked to be: a robot with a group
// of its own need not look in that for all.
func sayAccess(cmd *cobra.Command, p compose.Policy, text []byte) {
	file := robots.Parse(text, robots.RFC9309)
	tell := func(name, product string, delay time.Duration) {
		rules := file.Rules(product)
		closed := 0
		for _, r := range rules.List() {
			if !r.Allow {
				closed++
			}
		}
		what := "may visit everything"
		switch {
		case closed == 1 && len(rules.List()) == 1 && !rules.Test("/").Allowed:
			what = "may visit nothing"
		case closed > 0:
			what = "may visit what is left open by " + say.Plural(len(rules.List()), "rule")
		}
		if delay > 0 && what != "may visit nothing" {
			what += ", every " + config.Duration(delay).String()
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%-20s %s\n", name, what)
	}
	for _, r := range p.Robots {
		if robots.IsProductToken(r.Name) {
			tell(r.Name, r.Name, r.CrawlDelay)
		} else {
			fmt.Fprintf(cmd.ErrOrStderr(), "%-20s is no product token of RFC 9309: robots differ on what it names\n", r.Name)
		}
	}
	tell("everyone else", "", p.Everyone.CrawlDelay)
}
