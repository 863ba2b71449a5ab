package notices_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/notices"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

var update = flag.Bool("update", false, "write notices.txt")

// Everything that is linked on this system is named, below the text that it comes with.
func TestText_NamesEverythingThatIsLinked(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	if *update {
		write(t, gather(t, "linux", "darwin", "windows"))
		return
	}
	named := textByPath(notices.Text)
	for text, paths := range gather(t, runtime.GOOS) {
		for _, path := range paths {
			if named[path] != text {
				t.Errorf("%s is not named with its licence: go test ./cmd/cybermapper/internal/notices -update", path)
			}
		}
	}
}

// textByPath reads what write wrote.
func textByPath(all string) map[string]string {
	texts := map[string]string{}
	for part := range strings.SplitSeq("\n"+all, "\n\n== ") {
		names, text, _ := strings.Cut(strings.TrimPrefix(part, "\n== "), "\n\n")
		for name := range strings.SplitSeq(names, "\n== ") {
			texts[name] = strings.TrimSuffix(text, "\n") + "\n"
		}
	}
	return texts
}

// gather returns what is linked into the command on these systems: the paths of modules by the text that they are under.
func gather(t *testing.T, systems ...string) map[string][]string {
	t.Helper()
	folders := map[string]string{} // of modules, by path
	for _, system := range systems {
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
	return users
}

// write makes notices.txt.
func write(t *testing.T, users map[string][]string) {
	t.Helper()
	var parts []string
	for text, paths := range users {
		slices.Sort(paths)
		parts = append(parts, "== "+strings.Join(paths, "\n== ")+"\n\n"+text)
	}
	slices.Sort(parts)
	filetest.Write(t, "notices.txt", strings.Join(parts, "\n"))
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
			text := filetest.Read(t, filepath.Join(dir, e.Name()))
			plain := strings.ReplaceAll(string(text), "\r\n", "\n")
			texts = append(texts, strings.TrimSpace(plain)+"\n")
		}
	}
	return strings.Join(texts, "\n")
}
