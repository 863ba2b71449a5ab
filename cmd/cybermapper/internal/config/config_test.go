package config

import (
	"bytes"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

const exampleFile = "../../../../config.example.yaml"

// Promise 6: every limit has a name and a default, which the example holds.
func TestExampleHoldsEveryDefault(t *testing.T) {
	data := filetest.Read(t, exampleFile)
	var got Config // zero: whatever the example leaves out stays different from the default
	d := decode("config.example.yaml", data, &got)
	for _, m := range d.mistakes {
		t.Errorf("%s: %s", m.Where, m.Text)
	}
	if diff := cmp.Diff(Default(), got); diff != "" {
		t.Errorf("the example differs from the defaults (-defaults +example):\n%s", diff)
	}
	c := Default()
	for _, s := range settings(&c) {
		if _, ok := d.lines[s.path]; !ok {
			t.Errorf("the example lacks %s", s.path)
		}
	}
}

// Every key of the example is there for a reason, which stands beside it or above it.
func TestExampleExplainsEveryKey(t *testing.T) {
	data := filetest.Read(t, exampleFile)
	previous := ""
	for i, line := range strings.Split(string(data), "\n") {
		key, value, found := strings.Cut(line, ":")
		isSection := strings.TrimSpace(value) == ""
		if found && !isSection && !strings.Contains(key, "#") && !strings.Contains(value, "#") && !strings.Contains(previous, "#") {
			t.Errorf("line %d: %s is not explained", i+1, strings.TrimSpace(key))
		}
		previous = line
	}
}

func TestDefaultsAreValid(t *testing.T) {
	if _, err := NewLoader().Finish(); err != nil {
		t.Error(err)
	}
}

// Each testdata/*.bad.yaml ends with the messages it must cause, as comments, all of them and in this order.
func TestBadConfigurations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.bad.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".bad.yaml"), func(t *testing.T) {
			data := filetest.Read(t, name)
			var want []string
			for line := range strings.Lines(string(data)) {
				if text, ok := strings.CutPrefix(line, "#error: "); ok {
					want = append(want, strings.TrimSpace(text))
				}
			}
			l := NewLoader()
			if err := l.File(name); err != nil {
				t.Fatal(err)
			}
			_, err = l.Finish()
			var got []string
			if err != nil {
				got = strings.Split(strings.ReplaceAll(err.Error(), name+":", ""), "\n")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			if all, ok := errors.AsType[*Error](err); !ok || all.OnlyFlags() {
				t.Errorf("error %#v, want an *Error that is not about flags", err)
			}
		})
	}
}

func TestFlagsWinOverEnvironmentOverFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "crawl.yaml")
	text := "politeness:\n  delay: 4s\n  max_delay: 40s\ncrawl:\n  workers: 4\n  include: [a]\n"
	filetest.Write(t, file, text)
	fs := pflag.NewFlagSet("crawl", pflag.ContinueOnError)
	Flag(fs, "workers", "crawl.workers", "")
	Flag(fs, "delay", "politeness.delay", "")
	Flag(fs, "include", "crawl.include", "")
	Flag(fs, "allow-private", "fetch.allow_private", "")
	if err := fs.Parse([]string{"--workers=6", "--include=b", "--include=c,d", "--allow-private"}); err != nil {
		t.Fatal(err)
	}
	l := NewLoader()
	if err := l.File(file); err != nil {
		t.Fatal(err)
	}
	l.Environment([]string{
		"CYBERMAPPER_CRAWL_WORKERS=5", "CYBERMAPPER_POLITENESS_DELAY=5s", "CYBERMAPPER_CRAWL_EXCLUDE=x\ny", "CYBERMAPPER_PORT=1", "HOME=/",
	})
	l.Flags(fs)
	got, err := l.Finish()
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Crawl.Workers = 6 // flag
	want.Crawl.Include = []string{"b", "c,d"}
	want.Fetch.AllowPrivate = true
	want.Politeness.Delay = 5e9 // environment
	want.Crawl.Exclude = []string{"x", "y"}
	want.Politeness.MaxDelay = 40e9 // file
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(l.Warnings()) != 1 || !strings.Contains(l.Warnings()[0], "CYBERMAPPER_PORT") {
		t.Errorf("warnings %q, want one about CYBERMAPPER_PORT", l.Warnings())
	}
}

func TestMistakesNameTheirOrigin(t *testing.T) {
	fs := pflag.NewFlagSet("crawl", pflag.ContinueOnError)
	Flag(fs, "workers", "crawl.workers", "")
	if err := fs.Parse([]string{"--workers=0"}); err != nil {
		t.Fatal(err)
	}
	l := NewLoader()
	l.Flags(fs)
	_, err := l.Finish()
	if want := "--workers: crawl.workers: must be at least 1, not 0"; !isMistake(err, want, true) {
		t.Errorf("flag: error %v, want %s", err, want)
	}
	l.Environment([]string{"CYBERMAPPER_POLITENESS_DELAY=5"})
	_, err = l.Finish()
	if want := "CYBERMAPPER_POLITENESS_DELAY: \"5\" has no unit: write 5s, 5m or 5h"; !isMistake(err, want, false) {
		t.Errorf("environment: error %v, want %s", err, want)
	}
}

// isMistake reports whether err names want, and whether it is about flags only.
func isMistake(err error, want string, onlyFlags bool) bool {
	var all *Error
	return errors.As(err, &all) && all.OnlyFlags() == onlyFlags && strings.Contains(err.Error(), want)
}

// The file of a job that an earlier version made is read, and a word says what of it has no effect any more.
func TestLoader_FileOfAnEarlierVersion(t *testing.T) {
	name := filepath.Join(t.TempDir(), "job.yaml")
	text := "traps:\n  endless_long: 100\n  url_length: 99\n"
	filetest.Write(t, name, text)
	l := NewLoader()
	if err := l.File(name); err != nil {
		t.Fatal(err)
	}
	c, err := l.Finish()
	if err != nil || c.Traps.URLLength != 99 {
		t.Errorf("url_length is %d, error %v; want 99", c.Traps.URLLength, err)
	}
	if w := l.Warnings(); len(w) != 1 || !strings.Contains(w[0], name+":2: traps.endless_long") {
		t.Errorf("warnings %q, want one about traps.endless_long on line 2", w)
	}
}

// What a job directory remembers of its configuration is read back as it was.
func TestConfigSurvivesARoundTrip(t *testing.T) {
	want := Default()
	delay := Duration(5e8)
	want.Hosts["own.example:8080"] = Host{Delay: &delay, Connections: 2}
	want.Crawl.Exclude = []string{`\.pdf$`, "a: b"}
	want.Agent.Version = "1.10"
	data, err := want.YAML()
	if err != nil {
		t.Fatal(err)
	}
	got := Config{}
	d := decode("job.yaml", data, &got)
	if len(d.mistakes) > 0 {
		t.Error(d.mistakes)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A file of a job that has lost its end is an error, wherever it was cut: it would mean the defaults for what is gone.
func TestLoader_FileCutShort(t *testing.T) {
	data, err := Default().YAML()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "job.yaml")
	for n := len(wholeNote); n <= len(data); n++ {
		filetest.Write(t, name, data[:n])
		_, err := Read(name)
		if isWhole := n >= len(data)-1; isWhole != (err == nil) {
			t.Fatalf("%d of %d bytes: error %v", n, len(data), err)
		} else if !isWhole && !strings.Contains(err.Error(), "cut short") {
			t.Fatalf("%d of %d bytes: error %v, want one that says what happened", n, len(data), err)
		}
	}
}

func TestSettingsCoverTheWholeConfig(t *testing.T) {
	c := Default()
	for _, s := range settings(&c) {
		if strings.HasSuffix(s.path, ".") || s.field.Kind() == reflect.Struct {
			t.Errorf("setting %q has no key of its own", s.path)
		}
		if s.field.Kind() != reflect.Slice {
			if err := s.Set(s.String()); err != nil {
				t.Errorf("%s: its default %s cannot be set: %v", s.path, s, err)
			}
		}
	}
}

func TestUserAgent(t *testing.T) {
	tests := []struct {
		agent           Agent
		userAgent, from string
	}{
		{Agent{Product: "cybermapper"}, "cybermapper/0.1", ""},
		{Agent{Product: "cybermapper", Version: "1.0", Contact: "https://example.org/bot"}, "cybermapper/1.0 (+https://example.org/bot)", ""},
		{Agent{Product: "cybermapper", Version: "1.0", Contact: "me@example.org"}, "cybermapper/1.0 (+me@example.org)", "me@example.org"},
		{Agent{Product: "cybermapper", Version: "1.0", Contact: "mailto:me@example.org"}, "cybermapper/1.0 (+mailto:me@example.org)", "me@example.org"},
		{Agent{Product: "x", Version: "2", Contact: "me@example.org", Purpose: "search research"}, "x/2 (search research; +me@example.org)", "me@example.org"},
	}
	for _, tt := range tests {
		if got := tt.agent.UserAgent("v0.1"); got != tt.userAgent {
			t.Errorf("User-Agent %q, want %q", got, tt.userAgent)
		}
		if got := tt.agent.From(); got != tt.from {
			t.Errorf("From %q, want %q", got, tt.from)
		}
	}
}

func FuzzDecodeConfig(f *testing.F) {
	data := filetest.Read(f, exampleFile)
	f.Add(data)
	f.Add([]byte("a: &a [*a]\nhosts: {x: *a}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := Default()
		d := decode("f", data, &c)
		for _, m := range d.mistakes {
			for _, detail := range []string{"main.", "!!"} {
				if strings.Contains(m.Text, detail) && !bytes.Contains(data, []byte(detail)) { // what stands in the file is quoted
					t.Errorf("message names an implementation detail: %s", m.Text)
				}
			}
		}
	})
}

// A job that another version has begun can be looked at and repaired, whatever settings there were then.
func TestRead_PassesOverWhatIsNotKnown(t *testing.T) {
	name := filepath.Join(t.TempDir(), "job.yaml")
	text := "crawl:\n  workers: 7\n  looms: 3\nweaving: {warp: 1}\n"
	filetest.Write(t, name, text)
	c, err := Read(name)
	if err != nil || c.Crawl.Workers != 7 {
		t.Errorf("%d workers, %v; want 7", c.Crawl.Workers, err)
	}
	filetest.Write(t, name, text+"politeness: {delay: often}\n")
	if _, err := Read(name); err == nil || strings.Contains(err.Error(), "looms") {
		t.Errorf("the error is %v; want one about the delay only", err)
	}
}
