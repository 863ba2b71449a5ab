package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// Whoever mistypes a value hears what the flag wants, and not of a Go package; whatever is wrong with flags is wrong usage.
func TestRun_WrongFlags(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--limit", "ten"}, `cybermapper: --limit: "ten" is not a whole number`},
		{[]string{"--limit", "9999999999999999999999"}, `cybermapper: --limit: "9999999999999999999999" is too large`},
		{[]string{"--json=maybe"}, `cybermapper: --json: "maybe" is neither true nor false`},
		{[]string{"--slow", "5"}, `cybermapper: --slow: "5" has no unit: write 5s, 5m or 5h`},
		{
			[]string{"--slow", "soon"},
			`cybermapper: --slow: "soon" is not a duration: write a number with a unit, such as 500ms, 3s, 5m or 2h`,
		},
		{
			[]string{"--json", "--csv"},
			"cybermapper: if any flags in the group [json csv] are set none of the others can be; [csv json] were all set",
		},
	} {
		cmd := &cobra.Command{Use: "care", RunE: func(*cobra.Command, []string) error { return nil }}
		cmd.Flags().Int("limit", 0, "")
		cmd.Flags().Duration("slow", time.Second, "")
		cmd.Flags().Bool("json", false, "")
		cmd.Flags().Bool("csv", false, "")
		cmd.MarkFlagsMutuallyExclusive("json", "csv")
		var stderr bytes.Buffer
		code := Run(t.Context(), cmd, tt.args, nil, &bytes.Buffer{}, &stderr)
		if want := tt.want + "\nhint: care --help lists the flags\n"; code != ExitUsage || stderr.String() != want {
			t.Errorf("%q: exit code %d, want %d\n%swant\n%s", tt.args, code, ExitUsage, &stderr, want)
		}
	}
}

// What other programs take hears what it is here: a long flag behind one dash, a job as an argument.
func TestRun_WhatOtherProgramsTake(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		arg  string
		want string
	}{
		{"-depth", "did you mean --depth?"},
		{"-depth=2", "did you mean --depth?"},
		{"-quiet", "did you mean --quiet?"},
		{"-job", "did you mean --job?"},       // -j with the value ob
		{"-entry=a", "did you mean --entry?"}, // one of several values
		{"-d", "here it is --depth: links from a seed; what is no bound elsewhere, 0, is -1"},
		{"-np", "here it is --scope: --scope prefix stays below the folder of a seed"},
		{"-x", "crawl --help lists the flags"},
		{dir, "did you mean --job " + dir + "?"},
		{dir + "x", "usage: crawl [flags]"},
	} {
		cmd := &cobra.Command{Use: "crawl", Args: Exactly(0, ""), RunE: func(*cobra.Command, []string) error { return nil }}
		cmd.Flags().Int("depth", -1, "")
		cmd.Flags().IntP("max-pages", "n", 0, "")
		cmd.Flags().BoolP("quiet", "q", false, "")
		cmd.Flags().StringP("job", "j", "", "")
		cmd.Flags().StringArrayP("entry", "e", nil, "")
		cmd.Flags().String("scope", "", "")
		var stderr bytes.Buffer
		code := Run(t.Context(), cmd, []string{tt.arg}, nil, &bytes.Buffer{}, &stderr)
		if code != ExitUsage || !strings.HasSuffix(stderr.String(), "\nhint: "+tt.want+"\n") {
			t.Errorf("%q: exit code %d, want %d\n%swant the hint %s", tt.arg, code, ExitUsage, &stderr, tt.want)
		}
	}
}
