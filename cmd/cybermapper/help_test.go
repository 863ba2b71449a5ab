package main

import (
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/help"
	"github.com/cybermapper/cybermapper/frontier/cluster/stream"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// A block is what stands between two fences of a topic or of README.md.
type block struct {
	line  int    // of its first line
	info  string // behind the fence
	lines []string
}

// blocksOf returns the fenced blocks of a Markdown text.
func blocksOf(text string) []block {
	var blocks []block
	open := false
	for i, line := range strings.Split(text, "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && !open:
			blocks = append(blocks, block{line: i + 2, info: info})
			open = true
		case fence:
			open = false
		case open:
			last := &blocks[len(blocks)-1]
			last.lines = append(last.lines, line)
		}
	}
	return blocks
}

func TestHelp_TopicsFitATerminal(t *testing.T) {
	for _, topic := range help.Topics() {
		if topic.Short == "" || !strings.HasPrefix(topic.Text, "# "+topic.Name+": ") {
			t.Errorf("%s: the first line is not %q and what it is about", topic.Name, "# "+topic.Name+": ")
		}
		var out strings.Builder
		if code := run(context.Background(), []string{"help", topic.Name}, strings.NewReader(""), &out, io.Discard); code != cli.ExitDone {
			t.Fatalf("help %s: exit code %d", topic.Name, code)
		}
		for i, line := range strings.Split(out.String(), "\n") {
			if utf8.RuneCountInString(line) > 80 {
				t.Errorf("help %s, printed line %d is wider than 80 columns: %s", topic.Name, i+1, line)
			}
			if strings.ContainsAny(line, "\t\x1b") || strings.Contains(line, "```") {
				t.Errorf("help %s, printed line %d is not plain: %q", topic.Name, i+1, line)
			}
		}
	}
}

// What is asked for most must fit a terminal, too: the list of commands and topics.
func TestHelp_ListsTopics(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {"help", "--help"}} {
		var out strings.Builder
		if code := run(context.Background(), args, strings.NewReader(""), &out, io.Discard); code != cli.ExitDone {
			t.Fatalf("%v: exit code %d", args, code)
		}
		for _, topic := range help.Topics() {
			if !strings.Contains(out.String(), "\n  "+topic.Name) || !strings.Contains(out.String(), topic.Short+"\n") {
				t.Errorf("%v does not list topic %s", args, topic.Name)
			}
		}
	}
	for line := range strings.Lines(help.List()) {
		if utf8.RuneCountInString(line) > 81 {
			t.Errorf("wider than 80 columns: %s", line)
		}
	}
}

// The help of every command fits a terminal. Only command lines to copy may be longer, and what shows data.
func TestHelp_CommandsFitATerminal(t *testing.T) {
	everyCommand(newRootCommand(), func(c *cobra.Command) {
		var out strings.Builder
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		if code := run(context.Background(), args, strings.NewReader(""), &out, io.Discard); code != cli.ExitDone {
			t.Fatalf("%v: exit code %d", args, code)
		}
		copied := false
		for line := range strings.Lines(out.String()) {
			line = strings.TrimRight(line, "\n")
			if line == "Examples:" || line == "" {
				copied = line == "Examples:"
			}
			isData := strings.HasPrefix(line, "{") || strings.Contains(line, `": `)
			if utf8.RuneCountInString(line) > help.Width && !copied && !isData {
				t.Errorf("%s --help: wider than %d columns: %s", c.CommandPath(), help.Width, line)
			}
		}
	})
}

// The help of every command says which exit codes it uses, but for those of the library that makes completions.
func TestHelp_CommandsSayTheirExitCodes(t *testing.T) {
	everyCommand(newRootCommand(), func(c *cobra.Command) {
		if !c.HasSubCommands() && !strings.Contains(c.Long, "\nExit codes") {
			t.Errorf("%s --help does not say which exit codes there are", c.CommandPath())
		}
	})
}

func TestHelp_UnknownTopic(t *testing.T) {
	for name, hint := range map[string]string{
		"politness": "did you mean cybermapper help politeness?",
		"crawll":    "did you mean cybermapper help crawl?",
		"verfy":     "did you mean cybermapper help verify?",
		"zzzzzz":    "cybermapper help lists topics and commands",
	} {
		var stderr strings.Builder
		if code := run(context.Background(), []string{"help", name}, strings.NewReader(""), io.Discard, &stderr); code != cli.ExitUsage {
			t.Errorf("help %s: exit code %d", name, code)
		}
		if !strings.Contains(stderr.String(), "hint: "+hint+"\n") {
			t.Errorf("help %s: %s", name, stderr.String())
		}
	}
}

// A topic has the name of a command where both are about the same; the other is never hidden.
func TestHelp_TopicOrCommand(t *testing.T) {
	for args, want := range map[string]string{
		"help robots":      "robots: how robots.txt works",
		"help robots lint": "--fail-on",
		"help verify":      "--certificate",
		"help ROBOTS":      "robots: how robots.txt works",
	} {
		var out strings.Builder
		if code := run(context.Background(), strings.Fields(args), strings.NewReader(""), &out, io.Discard); code != cli.ExitDone {
			t.Errorf("%s: exit code %d", args, code)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s does not say %q", args, want)
		}
	}
}

// A topic that no one lists is a topic that no one finds.
func TestHelp_EveryFileIsListed(t *testing.T) {
	files, err := filepath.Glob("internal/help/topics/*.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(help.Topics()) {
		t.Errorf("%d files of topics, %d topics", len(files), len(help.Topics()))
	}
}

// Every command that a topic shows is run, by a shell and the real main, in a directory with the job of a demo.
func TestHelp_CommandsOfTopicsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a demo")
	}
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	demo := t.TempDir()
	shell(t, demo, "cybermapper demo", 0)
	for _, topic := range help.Topics() {
		t.Run(topic.Name, func(t *testing.T) {
			dir := t.TempDir()
			filetest.Copy(t, filepath.Join(dir, "cybermapper-demo"), filepath.Join(demo, "cybermapper-demo"))
			for _, b := range blocksOf(topic.Text) {
				runBlock(t, dir, b)
			}
		})
	}
}

func runBlock(t *testing.T, dir string, b block) {
	kind, name, _ := strings.Cut(b.info, " ")
	switch {
	case kind == "text" && name == "":
	case kind == "text":
		filetest.Write(t, filepath.Join(dir, name), strings.Join(b.lines, "\n")+"\n")
	case kind == "sh":
		for _, command := range joined(b.lines) {
			shell(t, dir, command, 0)
		}
	case kind == "console":
		runConsole(t, dir, joined(b.lines))
	case kind == "go":
		checkGo(t, name, b.lines)
	case kind == "yaml":
		checkYAML(t, b.lines)
	default:
		t.Errorf("line %d: a block is marked %q", b.line, b.info)
	}
}

// joined makes one line of a line that ends in a backslash and the next.
func joined(lines []string) []string {
	return strings.Split(strings.ReplaceAll(strings.Join(lines, "\n"), "\\\n", ""), "\n")
}

// checkGo looks for Go code in the example that it is from, which the compiler has seen.
func checkGo(t *testing.T, file string, lines []string) {
	source := mustRead(t, filepath.Join(moduleRoot, filepath.FromSlash(file)))
	if code := strings.Join(lines, "\n"); !strings.Contains(source, code) {
		t.Errorf("this code is not in %s:\n%s", file, code)
	}
}

// checkYAML looks whether the lines are a configuration, whose settings there are.
func checkYAML(t *testing.T, lines []string) {
	c := config.Default()
	if _, mistakes := config.Decode("the block", []byte(strings.Join(lines, "\n")), &c); len(mistakes) > 0 {
		t.Error(mistakes)
	}
}

// Ensure that the topic names what a user of the brokers must be allowed to do, as its test has it.
func TestHelp_ClusterPermissions(t *testing.T) {
	topic, _ := help.Find("cluster")
	_, text, _ := strings.Cut(topic.Text, "for a crawl named C: publish\n")
	text, _, _ = strings.Cut(text, ".\u0020")
	publish, subscribe := stream.Permissions("C")
	want := "`" + strings.Join(publish, "`, `") + "`; subscribe `" + strings.Join(subscribe, "`, `") + "`"
	if got := strings.ReplaceAll(text, "\n", " "); got != want {
		t.Errorf("the topic grants\n%s, want\n%s", got, want)
	}
}

// The Go code of README.md is from an example, too.
func TestReadme_GoIsCompiled(t *testing.T) {
	for _, b := range blocksOf(manualText(t)["README.md"]) {
		kind, file, _ := strings.Cut(b.info, " ")
		if kind != "go" {
			continue
		}
		for i, line := range b.lines {
			b.lines[i] = "\t" + line // there it stands in a function
		}
		checkGo(t, file, b.lines)
	}
}

var exitStatus = regexp.MustCompile(`^\(exit status ([0-9]+)\)$`)

// runConsole runs the commands of a console block, and looks for what follows each in its output, in that order.
func runConsole(t *testing.T, dir string, lines []string) {
	for len(lines) > 0 {
		command, ok := strings.CutPrefix(lines[0], "$ ")
		if !ok {
			t.Fatalf("%q is neither a command nor output of one", lines[0])
		}
		lines = lines[1:]
		var want []string
		code := 0
		for len(lines) > 0 && !strings.HasPrefix(lines[0], "$ ") {
			if m := exitStatus.FindStringSubmatch(lines[0]); m != nil {
				code = int(m[1][0] - '0')
			} else if line := strings.TrimSpace(strings.TrimSuffix(lines[0], "...")); line != "" {
				want = append(want, line)
			}
			lines = lines[1:]
		}
		out := shell(t, dir, command, code)
		rest := out
		for _, line := range want {
			_, after, found := strings.Cut(rest, line)
			if !found {
				t.Errorf("%s: %q is not in the output, or not there:\n%s", command, line, out)
				break
			}
			rest = after
		}
	}
}

// shell runs one command line and returns what it prints.
func shell(t *testing.T, dir, command string, code int) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("%s: exit status %d (%v), want %d:\n%s", command, got, err, code, out)
	}
	return string(out)
}
