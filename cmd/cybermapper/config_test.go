package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

const exampleFile = "../../config.example.yaml"

func TestExampleHoldsEveryDefault(t *testing.T) {
	data, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	var got Config // zero: whatever the example leaves out stays different from the default
	d := decodeConfig("config.example.yaml", data, &got)
	for _, m := range d.mistakes {
		t.Errorf("%s: %s", m.where, m.text)
	}
	if diff := cmp.Diff(defaultConfig(), got); diff != "" {
		t.Errorf("the example differs from the defaults (-defaults +example):\n%s", diff)
	}
	c := defaultConfig()
	for _, s := range settings(&c) {
		if _, ok := d.lines[s.path]; !ok {
			t.Errorf("the example lacks %s", s.path)
		}
	}
}

// Every key of the example is there for a reason, which stands beside it or above it.
func TestExampleExplainsEveryKey(t *testing.T) {
	data, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
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
	if _, err := newLoader().finish(); err != nil {
		t.Error(err)
	}
}

// Each testdata/config/*.bad.yaml ends with the messages it must cause, as comments, all of them and in this order.
func TestBadConfigurations(t *testing.T) {
	files, err := filepath.Glob("testdata/config/*.bad.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".bad.yaml"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for line := range strings.Lines(string(data)) {
				if text, ok := strings.CutPrefix(line, "#error: "); ok {
					want = append(want, strings.TrimSpace(text))
				}
			}
			l := newLoader()
			if err := l.file(name); err != nil {
				t.Fatal(err)
			}
			_, err = l.finish()
			var got []string
			if err != nil {
				got = strings.Split(strings.ReplaceAll(err.Error(), name+":", ""), "\n")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			if code := codeOf(err); code != exitConfig {
				t.Errorf("exit code %d, want %d", code, exitConfig)
			}
		})
	}
}

func TestFlagsWinOverEnvironmentOverFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "crawl.yaml")
	text := "politeness:\n  delay: 4s\n  max_delay: 40s\ncrawl:\n  workers: 4\n  include: [a]\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	fs := pflag.NewFlagSet("crawl", pflag.ContinueOnError)
	settingFlag(fs, "workers", "crawl.workers", "")
	settingFlag(fs, "delay", "politeness.delay", "")
	settingFlag(fs, "include", "crawl.include", "")
	settingFlag(fs, "allow-private", "fetch.allow_private", "")
	if err := fs.Parse([]string{"--workers=6", "--include=b", "--include=c,d", "--allow-private"}); err != nil {
		t.Fatal(err)
	}
	l := newLoader()
	if err := l.file(file); err != nil {
		t.Fatal(err)
	}
	l.environment([]string{
		"CYBERMAPPER_CRAWL_WORKERS=5", "CYBERMAPPER_POLITENESS_DELAY=5s", "CYBERMAPPER_CRAWL_EXCLUDE=x\ny", "CYBERMAPPER_PORT=1", "HOME=/",
	})
	l.flags(fs)
	got, err := l.finish()
	if err != nil {
		t.Fatal(err)
	}
	want := defaultConfig()
	want.Crawl.Workers = 6 // flag
	want.Crawl.Include = []string{"b", "c,d"}
	want.Fetch.AllowPrivate = true
	want.Politeness.Delay = 5e9 // environment
	want.Crawl.Exclude = []string{"x", "y"}
	want.Politeness.MaxDelay = 40e9 // file
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(l.warnings) != 1 || !strings.Contains(l.warnings[0], "CYBERMAPPER_PORT") {
		t.Errorf("warnings %q, want one about CYBERMAPPER_PORT", l.warnings)
	}
}

func TestMistakesNameTheirOrigin(t *testing.T) {
	fs := pflag.NewFlagSet("crawl", pflag.ContinueOnError)
	settingFlag(fs, "workers", "crawl.workers", "")
	if err := fs.Parse([]string{"--workers=0"}); err != nil {
		t.Fatal(err)
	}
	l := newLoader()
	l.flags(fs)
	if _, err := l.finish(); err == nil || err.Error() != "--workers: crawl.workers: must be at least 1, not 0" || codeOf(err) != exitUsage {
		t.Errorf("flag: error %v, code %d", err, codeOf(err))
	}
	l = newLoader()
	l.environment([]string{"CYBERMAPPER_POLITENESS_DELAY=5"})
	want := `CYBERMAPPER_POLITENESS_DELAY: "5" has no unit: write 5s, 5m or 5h`
	if _, err := l.finish(); err == nil || err.Error() != want || codeOf(err) != exitConfig {
		t.Errorf("environment: error %v, code %d, want %s", err, codeOf(err), want)
	}
}

// What a job directory remembers of its configuration is read back as it was.
func TestConfigSurvivesARoundTrip(t *testing.T) {
	want := defaultConfig()
	delay := Duration(5e8)
	want.Hosts["own.example:8080"] = HostConfig{Delay: &delay, Connections: 2}
	want.Crawl.Exclude = []string{`\.pdf$`, "a: b"}
	want.Agent.Version = "1.10"
	data, err := yaml.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got := Config{}
	d := decodeConfig("job.yaml", data, &got)
	if len(d.mistakes) > 0 {
		t.Error(d.mistakes)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSettingsCoverTheWholeConfig(t *testing.T) {
	c := defaultConfig()
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

func FuzzDecodeConfig(f *testing.F) {
	data, err := os.ReadFile(exampleFile)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("a: &a [*a]\nhosts: {x: *a}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := defaultConfig()
		d := decodeConfig("f", data, &c)
		for _, m := range d.mistakes {
			if strings.Contains(m.text, "main.") || strings.Contains(m.text, "!!") {
				t.Errorf("message names an implementation detail: %s", m.text)
			}
		}
	})
}
