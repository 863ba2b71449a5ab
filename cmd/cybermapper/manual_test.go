package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/help"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/report"
	"github.com/cybermapper/cybermapper/storage/ledger"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// Every key of the files that programs read is explained in topic job, under the heading of its record, and nothing else is.
func TestHelp_EveryFieldIsExplained(t *testing.T) {
	topic, _ := help.Find("job")
	explained := fieldsByHeading(topic.Text)
	records := map[string]reflect.Type{}
	for heading, value := range map[string]any{
		"ledger": ledger.Record{}, "pages.jsonl": pages.Line{}, "status.json": progress.Report{}, "report --json": report.Figures{},
		"total": sum{},
	} {
		collectRecords(records, heading, reflect.TypeOf(value))
	}
	for heading, record := range records {
		want, got := keysOf(record), explained[heading]
		if len(got) == 0 {
			t.Errorf("topic job has no heading %q with the keys of %v", heading, record)
			continue
		}
		for _, key := range want {
			if !slices.Contains(got, key) {
				t.Errorf("topic job, %q: key %s of %v is not explained", heading, key, record)
			}
		}
		for _, key := range got {
			if !slices.Contains(want, key) {
				t.Errorf("topic job, %q: %v has no key %s", heading, record, key)
			}
		}
	}
}

// collectRecords adds a record, and the records of this module in its fields, which have the name of their type as heading.
func collectRecords(into map[string]reflect.Type, heading string, typ reflect.Type) {
	into[heading] = typ
	for _, f := range reflect.VisibleFields(typ) {
		inner := f.Type
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if inner.Kind() != reflect.Struct || f.Anonymous || !f.IsExported() || !strings.HasPrefix(inner.PkgPath(), module) {
			continue
		}
		name := inner.Name()
		if inner == reflect.TypeOf(progress.Report{}) {
			continue // has a heading of its own
		}
		if inner == reflect.TypeOf(pages.Robots{}) {
			name = "Rule"
		}
		if into[name] == nil {
			collectRecords(into, name, inner)
		}
	}
}

// keysOf returns the keys of a record in JSON, with those of embedded ones.
func keysOf(typ reflect.Type) []string {
	var keys []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous {
			keys = append(keys, keysOf(f.Type)...)
		}
		if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "" && key != "-" {
			keys = append(keys, key)
		}
	}
	return keys
}

var (
	inHeading = regexp.MustCompile("^#+ (?:.* )?`([^`]+)`$")
	keyLine   = regexp.MustCompile(`^([a-z0-9_]+(?:, [a-z0-9_]+)*)(?:  |$)`)
)

// fieldsByHeading returns which keys are explained below a heading that ends in a name in backquotes: those that begin a
// line in its blocks.
func fieldsByHeading(text string) map[string][]string {
	keys := map[string][]string{}
	heading, fenced := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch m := inHeading.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case m != nil && !fenced:
			heading = m[1]
		case strings.HasPrefix(line, "#") && !fenced:
			heading = ""
		case fenced && heading != "":
			if m := keyLine.FindStringSubmatch(line); m != nil {
				keys[heading] = append(keys[heading], strings.Split(m[1], ", ")...)
			}
		}
	}
	return keys
}

// manualText returns README.md and all topics by name.
func manualText(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{"README.md": mustRead(t, filepath.Join(moduleRoot, "README.md"))}
	for _, topic := range help.Topics() {
		texts["help "+topic.Name] = topic.Text
	}
	return texts
}

var (
	codeSpan    = regexp.MustCompile("`([^`\n]+)`")
	commandLine = regexp.MustCompile(`(?:^|[|&;({] *|\$ )(?:\./|go run \./cmd/)?cybermapper ([a-z-][^|&;>#]*)`)
	flagWord    = regexp.MustCompile(`^--[a-z][a-z-]*`)
)

// Every command and every flag that README.md and the topics name exists.
func TestHelpAndReadme_CommandsAndFlagsExist(t *testing.T) {
	flags := map[string]bool{"--help": true}
	everyCommand(newRootCommand(), func(c *cobra.Command) {
		for _, f := range flagsOf(c) {
			flags["--"+f] = true
		}
	})
	for name, text := range manualText(t) {
		var lines []string
		for _, b := range blocksOf(text) {
			if !strings.Contains(b.info, " ") { // else a file
				lines = append(lines, b.lines...)
			}
		}
		for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
			lines = append(lines, m[1])
			if flag := flagWord.FindString(m[1]); flag != "" && !flags[flag] {
				t.Errorf("%s: no command has the flag %s", name, flag)
			}
		}
		for _, line := range lines {
			for _, m := range commandLine.FindAllStringSubmatch(line, -1) {
				checkCommandLine(t, name, m[1])
			}
		}
	}
}

// checkCommandLine checks one command line without the name of the program.
func checkCommandLine(t *testing.T, where, line string) {
	words := strings.Fields(line)
	if at := slices.Index(words, "--"); at > 0 { // what follows are those of crawl
		checkCommandLine(t, where, "crawl "+strings.Join(words[at+1:], " "))
		words = words[:at]
	}
	if words[0] == "help" {
		if _, ok := help.Find(strings.Join(words[1:], " ")); ok || len(words) == 1 || words[1] == "TOPIC" {
			return
		}
		words = words[1:]
	}
	root := newRootCommand()
	cmd, _, err := root.Find(words)
	if words[0] == "completion" || words[0] == "man" {
		return
	}
	if err != nil || cmd == root || cmd.HasSubCommands() && len(words) > 1 && !strings.HasPrefix(words[1], "-") {
		t.Errorf("%s: there is no command %q", where, line)
		return
	}
	known := flagsOf(cmd)
	for _, word := range words {
		if flag := flagWord.FindString(word); flag != "" && !slices.Contains(known, flag[2:]) {
			t.Errorf("%s: %q: %s has no flag %s", where, line, cmd.CommandPath(), flag)
		}
	}
}

func everyCommand(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, c := range cmd.Commands() {
		everyCommand(c, visit)
	}
}

func flagsOf(cmd *cobra.Command) []string {
	cmd.InitDefaultHelpFlag()
	names := []string{}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Every link of README.md into the repository leads somewhere, and README.md stays a map.
func TestReadme_IsAMap(t *testing.T) {
	readme := manualText(t)["README.md"]
	if n := strings.Count(readme, "\n"); n > 140 {
		t.Errorf("README.md has %d lines; what is more than 140 belongs in a topic", n)
	}
	for _, m := range link.FindAllStringSubmatch(readme, -1) {
		if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "#") {
			continue
		}
		if _, err := os.Stat(filepath.Join(moduleRoot, filepath.FromSlash(m[1]))); err != nil {
			t.Errorf("README.md links to %s: %v", m[1], err)
		}
	}
}
