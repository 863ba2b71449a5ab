package main

import (
	"context"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/help"
)

// hintFor is the hint that crawl gives for a flag that it does not have.
func hintFor(t *testing.T, flag string) string {
	t.Helper()
	var stderr strings.Builder
	code := run(context.Background(), []string{"crawl", flag, "x"}, strings.NewReader(""), io.Discard, &stderr)
	_, hint, ok := strings.Cut(stderr.String(), "\nhint: ")
	if code != cli.ExitUsage && code != cli.ExitConfig || !ok {
		t.Errorf("crawl %s: exit code %d, %q", flag, code, stderr.String())
	}
	return strings.TrimSpace(hint)
}

// What somebody types who comes from another program gets the answer that topic coming-from gives.
func TestCrawl_FlagsOfOtherPrograms(t *testing.T) {
	topic, ok := help.Find("coming-from")
	if !ok {
		t.Fatal("no topic coming-from")
	}
	flags := newCrawlCommand().Flags()
	ours := regexp.MustCompile(`--([a-z-]+)`)
	theirs := regexp.MustCompile(`--([A-Za-z-]+)`)
	rows := 0
	for _, b := range blocksOf(topic.Text) {
		for _, row := range b.lines {
			left, right, ok := strings.Cut(row, "  ")
			if !ok {
				continue
			}
			rows++
			var wanted []string
			for _, m := range ours.FindAllStringSubmatch(right, -1) {
				if flags.Lookup(m[1]) == nil {
					t.Errorf("%q: crawl has no --%s", row, m[1])
				}
				wanted = append(wanted, m[0])
			}
			for _, m := range theirs.FindAllStringSubmatch(left, -1) {
				if flags.Lookup(m[1]) != nil {
					continue
				}
				hint := hintFor(t, m[0])
				if strings.HasPrefix(hint, "did you mean") || strings.Contains(hint, "lists the flags") {
					t.Errorf("crawl %s is answered by %q, not from the table", m[0], hint)
				}
				if !strings.HasPrefix(strings.TrimSpace(right), "--") {
					continue
				}
				found := false
				for _, w := range wanted {
					found = found || strings.Contains(hint, w)
				}
				if !found {
					t.Errorf("crawl %s is answered by %q, the topic says %q", m[0], hint, strings.TrimSpace(right))
				}
			}
		}
	}
	if rows < 60 {
		t.Errorf("the topic has %d rows", rows)
	}
}

// A flag of ours that is mistyped is still guessed, and what cannot be had says why.
func TestCrawl_HintsForFlags(t *testing.T) {
	for flag, want := range map[string]string{
		"--dept":           "did you mean --depth?",
		"--prio":           "did you mean --priority?",
		"--max-deph":       "did you mean --max-depth? here it is --depth",
		"--spidr":          "did you mean --spider? here it is --check-links",
		"--page-requisits": "did you mean --page-requisites? here it is --requisites",
		"--ignor-robots":   "did you mean --ignore-robots? robots.txt is always obeyed",
		"--ignore-length":  "cybermapper crawl --help lists the flags", // of wget, and no --ignore-robots
		"--save-headers":   "cybermapper crawl --help lists the flags",
		"--max-redirect":   "traps.redirects",
		"-p":               "here it is --requisites: as of wget",
		"-k":               "as of wget, a copy to browse",
		"-H":               "here it is --scope: as of wget --scope any; as of curl and katana headers",
		"-L":               "as of curl, redirects are followed, to hosts in scope; as of wget",
		"-x":               "here it is --proxy: as of curl; as of wget",
		"-R":               "here it is --reject: extensions and media types; for patterns of names --exclude",
		"--schedule":       "here it is --hours",
		"--max-depth":      "here it is --depth",
		"--ignore-robots":  "robots.txt is always obeyed",
		"--output":         "here it is --job",
		"--no-such-thing":  "cybermapper crawl --help lists the flags",
		"-w":               "here it is --delay",
		"-np":              "here it is --scope",
		"-nc":              "a page is asked for once",
		"-list":            "here it is --seeds",
		"-fs":              "here it is --scope",
		"-rl":              "here it is --delay",
		"-kf":              "here it is --sitemaps",
		"-jc":              "no JavaScript is run",
		"-cs":              "here it is --include",
		"-ct":              "here it is --max-time",
		"--delay=debug":    "cybermapper crawl --help lists the flags",
	} {
		if got := hintFor(t, flag); !strings.HasPrefix(got, want) {
			t.Errorf("crawl %s: hint %q, want %q", flag, got, want)
		}
	}
}

// Every answer in the table names a flag that crawl has.
func TestCrawl_AnswersNameFlags(t *testing.T) {
	flags := newCrawlCommand().Flags()
	for theirs, ours := range cli.Abroad() {
		if ours != "" && flags.Lookup(ours) == nil {
			t.Errorf("--%s is answered by --%s, which crawl does not have", theirs, ours)
		}
		if f := flags.Lookup(theirs); f != nil {
			t.Errorf("--%s is a flag of crawl and needs no answer", theirs)
		}
	}
}
