package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// What pages ask of a robot by its name counts for the robot that the job is of, also when its pages are read once more.
func TestExportLinks_TermsThatNameTheRobot(t *testing.T) {
	site := webtest.New(t).Site(webtest.Pages{
		"/":      {Body: `<title>F</title><meta name="cybermapper" content="nofollow"><a href="/mine">m</a> <a href="/gone1">1</a>`},
		"/mine":  {Body: `<title>M</title><meta name="titlebot" content="nofollow"><a href="/gone2">2</a>`},
		"/gone1": {Status: 404},
	})
	root := t.TempDir()
	conf, dir := filepath.Join(root, "c.yaml"), filepath.Join(root, "job")
	filetest.Write(t, conf, "agent: {product: titlebot}\n")
	crawl := "crawl --quiet --allow-private --delay 1ms --delay-factor 0 --config " + conf + " --job " + dir + " " + site.URL + "/"
	mustRun(t, strings.Fields(crawl)...)
	_, out := runCommand(t.Context(), "export links --format csv --job "+dir)
	for _, want := range []string{"/,%s/mine,a,,true,", "/,%s/gone1,a,,true,", "/mine,%s/gone2,a,,false,"} {
		if want = site.URL + fmt.Sprintf(want, site.URL); !strings.Contains(out, want) {
			t.Errorf("links lack %q:\n%s", want, out)
		}
	}
}
