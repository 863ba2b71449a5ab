package robots_test

import (
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/robotstest"
)

// TestRealFiles reads files of real sites.
func TestRealFiles(t *testing.T) {
	agents := []string{"cybermapper", "Googlebot", "Yandex", "Slurp", "bingbot", "GPTBot"}
	paths := []string{"/", "/index.html", "/admin/", "/search?q=x", "/cgi-bin/a", "/images/a.gif", "/wp-admin/admin-ajax.php", "/a/b/c.php?sort=1&page=2"}
	var rulings, lenient int
	for _, site := range robotstest.Real(t) {
		body := site.Body
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
