package help

import (
	"embed"
	"io"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/guess"
)

//go:embed topics/*.md
var files embed.FS

// order is that of a list of topics: what a newcomer asks first comes first.
var order = []string{
	"crawl", "politeness", "robots", "signals", "sitemaps", "search", "serve", "job", "recrawl", "archive", "evidence",
	"operations", "cluster", "network", "owners", "audit", "coming-from", "library", "figures",
}

// A Topic is one chapter of the manual.
type Topic struct {
	Name  string // as in "cybermapper help NAME"
	Short string // what it is about, in one line
	Text  string // Markdown; see the package comment
}

// Topics returns all topics, in the order in which they are listed.
func Topics() []Topic {
	var topics []Topic
	for _, name := range order {
		t, ok := Find(name)
		if !ok {
			panic("help: no topic " + name)
		}
		topics = append(topics, t)
	}
	return topics
}

// Find returns the topic of that name. Case does not matter.
func Find(name string) (Topic, bool) {
	name = strings.ToLower(name)
	text, err := files.ReadFile("topics/" + name + ".md")
	if err != nil {
		return Topic{}, false
	}
	title, _, _ := strings.Cut(string(text), "\n")
	_, short, _ := strings.Cut(title, ": ")
	return Topic{Name: name, Short: short, Text: string(text)}, true
}

// Near returns the name that was probably meant: that of a topic, or one of others. ok is false when none is near.
func Near(name string, others []string) (near string, ok bool) {
	return guess.Word(name, append(append([]string{}, order...), others...))
}

// List writes the names of all topics, and what they are about.
func List() string {
	var b strings.Builder
	for _, t := range Topics() {
		b.WriteString("  " + t.Name + strings.Repeat(" ", max(1, 12-len(t.Name))) + t.Short + "\n")
	}
	return b.String()
}

// Print writes t for a terminal: headings stand out to the left of the text, and what stood in a fenced block to its right; a
// file has its name above.
func (t Topic) Print(w io.Writer) error {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(t.Text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
			if _, file, ok := strings.Cut(line, "text "); ok {
				b.WriteString("  " + file + ":\n\n")
			}
			continue
		case line == "":
		case fenced:
			line = "    " + strings.ReplaceAll(line, "\t", "    ")
		case strings.HasPrefix(line, "#"):
			line = strings.TrimLeft(line, "# ")
		default:
			line = "  " + strings.ReplaceAll(line, "`", "")
		}
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
