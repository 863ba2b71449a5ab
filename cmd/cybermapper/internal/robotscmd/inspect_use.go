package robotscmd

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/preference"
	"github.com/cybermapper/cybermapper/storage"
)

// A useView is what a page may be used for, as inspect prints it and in the words of pages.jsonl.
type useView struct {
	Uses        map[string]string    `json:"uses,omitempty"`
	Preferences []storage.Preference `json:"preferences,omitempty"`
}

// viewUses makes a view of preferences.
func viewUses(p preference.Preferences) useView {
	uses, all := crawler.StoredPreferences(p)
	return useView{uses, all}
}

// print writes a row for each use, and below it who says so.
func (v *useView) print(row func(label, text string)) {
	for _, use := range slices.Sorted(maps.Keys(v.Uses)) {
		row("use", fmt.Sprintf("%s: %s", use, v.Uses[use]))
		for _, p := range v.Preferences {
			if p.Use == use {
				row("", fmt.Sprintf("  %s by %s", p.Value, sourceText(p)))
			}
		}
	}
}

// sourceText names a source, where it stood and what it said.
func sourceText(p storage.Preference) string {
	text := p.Source + " (" + p.Place
	if p.Line > 0 {
		text += fmt.Sprintf(" line %d", p.Line)
	}
	text += "): " + p.Text
	if p.Policy != "" {
		text += ", terms at " + p.Policy
	}
	return text
}

// readRules reads the files that say more about the page in a file.
func (v *pageView) readRules(cmd *cobra.Command, o inspectOptions) error {
	if o.robots != "" {
		body, err := cli.ReadInput(cmd, o.robots, robots.MaxBytes+1)
		if err != nil {
			return err
		}
		v.rules = robots.Parse(body, robots.Cautious).Rules(o.product)
	}
	if o.tdmrep != "" {
		body, err := cli.ReadInput(cmd, o.tdmrep, preference.MaxTDMBytes+1)
		if err != nil {
			return err
		}
		if v.tdm, err = preference.ParseTDMFile(body); err != nil {
			return fmt.Errorf("--tdmrep: %w", err)
		}
	}
	return nil
}
