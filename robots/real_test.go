package robots_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/cybermapper/cybermapper/robots"
)

// TestRealFiles reads files of real sites, where they lie: they are other people's text and not part of the repository.
// ROBOTS_REAL names a file of JSON lines with a field "robots" each.
func TestRealFiles(t *testing.T) {
	name := os.Getenv("ROBOTS_REAL")
	if name == "" {
		name = "../../shared/cases/robots_real.jsonl"
	}
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no files of real sites: %v (set ROBOTS_REAL)", err)
	}
	agents := []string{"cybermapper", "Googlebot", "Yandex", "Slurp", "bingbot", "GPTBot"}
	paths := []string{"/", "/index.html", "/admin/", "/search?q=x", "/cgi-bin/a", "/images/a.gif", "/wp-admin/admin-ajax.php", "/a/b/c.php?sort=1&page=2"}
	var rulings, lenient int
	for _, site := range readLines[struct{ ID, Robots string }](t, name) {
		body := []byte(site.Robots)
		file := robots.Parse(body, robots.Cautious)
		if got, want := len(file.Lines()), countLines(body); got != want {
			t.Errorf("%s: %d lines, want %d", site.ID, got, want)
		}
		checkRegister(t, body, agents...)
		for _, agent := range agents {
			checkDialects(t, body, agent, paths...)
			rules := file.Rules(agent)
			for _, path := range paths {
				rulings++
				if rules.Test(path).Leniency != "" {
					lenient++
				}
			}
		}
	}
	t.Logf("%d rulings, %d of them by leniency", rulings, lenient)
}
