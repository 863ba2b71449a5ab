package browsertest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/browsertest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestPage_TellsWhatIsWrong: a test that looks at pages with these eyes must not be blind.
func TestPage_TellsWhatIsWrong(t *testing.T) {
	b := browsertest.Start(t)
	file := filepath.Join(t.TempDir(), "bad.html")
	const bad = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; img-src file:">
<img src="missing.png"><p style="color: red">x</p><script>console.log("hello"); throw new Error("thrown on purpose")</script>`
	filetest.Write(t, file, bad)
	p := b.Open(t, "file://"+filepath.ToSlash(file), browsertest.View{Width: 375, Height: 600, Dark: true})
	all := strings.Join(p.Complaints(), "\n")
	for _, want := range []string{"thrown on purpose", "hello", "inline style", "ERR_FILE_NOT_FOUND"} {
		if !strings.Contains(all, want) {
			t.Errorf("no complaint has %q:\n%s", want, all)
		}
	}
	if got := p.Requests(); len(got) != 2 || !strings.HasSuffix(got[1], "/missing.png") {
		t.Errorf("requests = %q", got)
	}
	var seen struct {
		Width int
		Dark  bool
	}
	p.Eval(t, `({Width: innerWidth, Dark: matchMedia("(prefers-color-scheme: dark)").matches})`, &seen)
	if seen.Width == 0 || !seen.Dark {
		t.Errorf("the page sees %+v", seen)
	}
}

// TestStartProgram_EndsAsItBegins: a browser that ends before it has shown a page is started once more.
func TestStartProgram_EndsAsItBegins(t *testing.T) {
	browsertest.Start(t) // or there is none
	program := filepath.Join(t.TempDir(), "browser")
	const script = `#!/bin/sh
if mkdir "$0.begun" 2>/dev/null; then exit 1; fi
for name in chromium chromium-browser google-chrome; do
	if command -v $name >/dev/null; then exec $name "$@"; fi
done
`
	filetest.Write(t, program, script)
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	p := browsertest.StartProgram(t, program).Open(t, "about:blank", browsertest.View{})
	var sum int
	p.Eval(t, "1 + 1", &sum)
	if sum != 2 {
		t.Errorf("1 + 1 is %d", sum)
	}
}
