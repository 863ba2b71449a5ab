package notices_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/notices"
)

var update = flag.Bool("update", false, "write notices.txt")

// Everything that is linked on any system is named, with the text that it comes with.
func TestText_NamesEverythingThatIsLinked(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	want := gather(t)
	if *update {
		if err := os.WriteFile("notices.txt", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if notices.Text == want {
		return
	}
	paths := regexp.MustCompile(`(?m)^== (.+)$`)
	has := paths.FindAllString(notices.Text, -1)
	for _, path := range paths.FindAllString(want, -1) {
		if !slices.Contains(has, path) {
			t.Errorf("missing: %s", path[3:])
		}
	}
	t.Error("notices.txt is not what the modules say; write it with: go test ./cmd/cybermapper/internal/notices -update")
}

// gather makes the text of notices.txt from what is linked into the command on the systems that it is released for.
func gather(t *testing.T) string {
	t.Helper()
	folders := map[string]string{} // of modules, by path
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}",
			"github.com/cybermapper/cybermapper/cmd/cybermapper")
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if path, dir, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
				folders[path] = dir
			}
		}
	}
	folders["the Go standard library"] = folders["golang.org/x/sys"] // which has the same text, and lies there wherever Go does

	users := map[string][]string{} // of a text
	for path, dir := range folders {
		text := textsIn(t, dir)
		if text == "" {
			t.Errorf("%s has no licence in %s", path, dir)
		}
		users[text] = append(users[text], path)
	}
	var parts []string
	for text, paths := range users {
		slices.Sort(paths)
		parts = append(parts, "== "+strings.Join(paths, "\n== ")+"\n\n"+text)
	}
	slices.Sort(parts)
	return strings.Join(parts, "\n")
}

var isText = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)(\..*)?$`)

// textsIn returns the licences and notices that lie in a folder, one below the other.
func textsIn(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, e := range entries {
		if e.Type().IsRegular() && isText.MatchString(e.Name()) {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			plain := strings.ReplaceAll(string(text), "\r\n", "\n")
			texts = append(texts, strings.TrimSpace(plain)+"\n")
		}
	}
	return strings.Join(texts, "\n")
}
