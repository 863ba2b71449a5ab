package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/engine"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/robots/accesslog/signature"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// identityPage is the page that operators publish for the owners of the sites they visit.
//
//go:embed identity.html
var identityPage string

// An identity is who we are to the owners of sites.
type identity struct {
	Product   string        `json:"product"`
	UserAgent string        `json:"user_agent"`
	From      string        `json:"from,omitempty"`
	Contact   string        `json:"contact,omitempty"`
	Purpose   string        `json:"purpose,omitempty"`
	Ranges    []string      `json:"ranges,omitempty"` // that requests come from
	Discuss   string        `json:"discuss,omitempty"`
	Key       *keyReport    `json:"key,omitempty"`       // that the ledger is signed with
	Signature *signatureKey `json:"signature,omitempty"` // that requests are signed with
	KeepOut   string        `json:"keep_out"`
	SlowDown  string        `json:"slow_down"`
	Record    []recordField `json:"record"`
	LeastGap  string        `json:"-"`

	language translate.Language // of the page
}

// A recordField is one line of a record of the robots database.
type recordField struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

func newIdentityCommand() *cobra.Command {
	var file, html, directory, lang string
	var asJSON, record bool
	cmd := &cobra.Command{
		Use:   "identity",
		Short: "Show how a crawl identifies itself, or write a page of it",
		Long: `Shows the product token, User-Agent, From and contact that crawl sends with the
same flags, environment and configuration; what a site owner writes into
robots.txt to keep us out or slow us down; and our record in the format of the
robots database. --html writes a page to publish where the contact points: one
file that loads nothing, in the language of --lang or of the system. --record prints the record alone, for audit --notes.
--directory writes the directory of the key that signs requests
(agent.signature_key), to be served as the type
application/http-message-signatures-directory+json.

Exit codes:
  0    done
  1    the page could not be written
  2    wrong usage
  3    wrong configuration
`,
		Example: `  cybermapper identity --contact https://you.example/bot.html
  cybermapper identity --contact you@example.org --html bot.html
  cybermapper identity --contact you@example.org --record >> robots.notes
  cybermapper identity --config my.yaml --json`,
		Args: cli.Exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := loadConfig(cmd.Flags(), crawlOptions{config: file, fresh: true}, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			who, err := identify(c, time.Now())
			if err != nil {
				return err
			}
			if who.language, err = cli.LanguageOf(lang); err != nil {
				return err
			}
			switch {
			case record && (asJSON || html != ""):
				return cli.UsageError("", "--record excludes --json and --html")
			case record:
				_, err := cmd.OutOrStdout().Write(who.rosterRecord())
				return err
			}
			if directory != "" {
				if err := writeDirectory(c.Agent, directory, cmd.OutOrStdout()); err != nil || directory == "-" {
					return err
				}
			}
			return showIdentity(cmd, who, html, asJSON)
		},
	}
	f := cmd.Flags()
	config.Flag(f, "contact", "agent.contact", "URL or mail address where site owners reach you")
	config.Flag(f, "product", "agent.product", "product token: our name in robots.txt")
	f.StringVar(&file, "config", "", "configuration file, as for crawl")
	f.StringVar(&lang, "lang", "", "language of the page: "+strings.Join(translate.Names(), ", ")+"; by default that of the system")
	f.StringVar(&html, "html", "", "write the page to this file; - is stdout, in place of the text")
	f.StringVar(&directory, "directory", "", "write the directory of the key that signs requests to this file; - is stdout")
	f.BoolVar(&asJSON, "json", false, "print as JSON")
	f.BoolVar(&record, "record", false, "print only the record for lists of robots")
	return cmd
}

// identify tells from a configuration who a crawl with it is.
func identify(c config.Config, now time.Time) (identity, error) {
	a := c.Agent
	who := identity{
		Product: a.Product, UserAgent: a.UserAgent(cli.ReadBuild().Version), From: a.From(), Contact: a.Contact, Purpose: a.Purpose,
		KeepOut:  "User-agent: " + a.Product + "\nDisallow: /\n",
		SlowDown: slowDown(a.Product),
		LeastGap: c.Politeness.Delay.String(), Ranges: a.Ranges, Discuss: a.Discuss,
	}
	if c.Evidence.Key != "" {
		k, err := engine.ReadKey("evidence.key", c.Evidence.Key)
		if err != nil {
			return who, err
		}
		who.Key = reportKey(k)
	}
	if a.SignatureKey != "" {
		k, err := engine.ReadKey("agent.signature_key", a.SignatureKey)
		if err != nil {
			return who, err
		}
		who.Signature = &signatureKey{ID: signature.Thumbprint(k.Public())}
		if host := a.DirectoryHost(); host != "" {
			who.Signature.Directory = host + signature.Directory
		}
	}
	who.Record = who.record(now)
	return who, nil
}

// record returns the fields of the robots database, those that are known.
func (who identity) record(now time.Time) (fields []recordField) {
	page, directory, key := "", "", keyReport{}
	var notes []string
	if len(who.Ranges) > 0 {
		notes = append(notes, "comes from "+strings.Join(who.Ranges, " "))
	}
	if who.Discuss != "" {
		notes = append(notes, "discussed at "+who.Discuss)
	}
	if who.Signature != nil {
		directory = who.Signature.Directory
	}
	if who.Key != nil {
		key = *who.Key
	}
	if strings.Contains(who.Contact, "://") {
		page = who.Contact
	}
	for _, f := range []recordField{
		{"robot-id", strings.ToLower(who.Product)},
		{"robot-name", who.Product},
		{"robot-details-url", page},
		{"robot-owner-url", page},
		{"robot-owner-email", who.From},
		{"robot-status", "active"},
		{"robot-purpose", who.Purpose},
		{"robot-type", "standalone"},
		{"robot-platform", "linux, mac, windows"},
		{"robot-exclusion", "yes"},
		{"robot-exclusion-useragent", who.Product},
		{"robot-noindex", "yes"},
		{"robot-from", cli.YesNo(who.From != "")},
		{"robot-useragent", who.UserAgent},
		{"robot-language", "go"},
		{"robot-signature-keys-url", directory},
		{"robot-notes", strings.Join(notes, "; ")},
		{"robot-key", key.Verifier},
		{"robot-key-fingerprint", key.Fingerprint},
		{"robot-description", "crawls a set of sites from a list of seeds and keeps the pages as files"},
		{"modified-date", now.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")},
	} {
		if f.Value != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// rosterRecord returns the record as a file of such records has it.
func (who identity) rosterRecord() []byte {
	var r roster.Record
	for _, f := range who.Record {
		r.Fields = append(r.Fields, roster.Field{Name: f.Key, Value: f.Value})
	}
	return append(roster.Format([]roster.Record{r}), '\n')
}

func showIdentity(cmd *cobra.Command, who identity, html string, asJSON bool) error {
	if html != "" {
		page, err := who.page()
		if err != nil {
			return err
		}
		if err := cli.WriteFile(cmd.OutOrStdout(), html, page); err != nil || html == "-" {
			return err
		}
	}
	if who.Contact == "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "warning: there is no contact: crawl visits nothing beyond loopback without --contact")
	}
	return cli.Tell(cmd.OutOrStdout(), asJSON, who, who.print)
}

// page renders the page to publish.
func (who identity) page() ([]byte, error) { return render(identityPage, who.language, nil, who) }

// DiscussURL returns the place to discuss as the target of a link.
func (who identity) DiscussURL() string {
	if !strings.Contains(who.Discuss, ":") {
		return "mailto:" + who.Discuss
	}
	return who.Discuss
}

// ContactURL returns the contact as the target of a link.
func (who identity) ContactURL() string {
	if who.From != "" {
		return "mailto:" + who.From
	}
	return who.Contact
}

func (who identity) print(w io.Writer) {
	const none = "(none)"
	fmt.Fprintf(w, "token       %s\nUser-Agent  %s\nFrom        %s\ncontact     %s\n", who.Product, who.UserAgent,
		cmp.Or(who.From, none), cmp.Or(who.Contact, none))
	if who.Key != nil {
		fmt.Fprintf(w, "key         %s\nfingerprint %s\n", who.Key.Verifier, who.Key.Fingerprint)
	}
	if len(who.Ranges) > 0 {
		fmt.Fprintf(w, "comes from  %s\n", strings.Join(who.Ranges, " "))
	}
	if who.Discuss != "" {
		fmt.Fprintf(w, "discussed   %s\n", who.Discuss)
	}
	if who.Signature != nil {
		fmt.Fprintf(w, "signed by   %s\ndirectory   %s\n", who.Signature.ID, cmp.Or(who.Signature.Directory, none))
	}
	fmt.Fprintf(w, "\nto keep us out, in robots.txt:\n\n%s", indent(who.KeepOut))
	fmt.Fprintf(w, "\nto slow us down:\n\n%s", indent(who.SlowDown))
	fmt.Fprint(w, "\nrecord for lists of robots:\n\n")
	for _, f := range who.Record {
		fmt.Fprintf(w, "  %s: %s\n", f.Key, f.Value)
	}
}

// slowDown returns the group that slows a product down. By RFC 9309 (2.2.1) it takes the place of the group for all, whose rules
// would be lifted by whoever copies it as it stands, so it says so.
func slowDown(product string) string {
	return "User-agent: " + product + "\nCrawl-delay: 30\n" +
		"# for this robot, in place of \"User-agent: *\": repeat that group's lines here\nDisallow:\n"
}

// indent sets each line of a text off by two blanks.
func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n  ") + "\n"
}
