package translate

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	verb = regexp.MustCompile(`%[^%]`)
	said = regexp.MustCompile(`(?:\{\{t|\b(?:in|l)\.Say\(|\(t|translate\.Key\() ?("(?:[^"\\]|\\.)*")`)
	// what crawls and proofs have words for, which Text translates
	told = regexp.MustCompile(`(?:crawler\.Reason\w+: +|About: +|Why: +|Text: |Verdict = |return )("(?:[^"\\]|\\.)*"(?:\s*\+\s*"(?:[^"\\]|\\.)*")*)`)
	plus = regexp.MustCompile(`"\s*\+\s*"`)
)

var tables = map[string]map[string]string{"es": spanish, "ru": russian, "th": thai}

var counts = map[string]plurals{"en": englishPlurals, "es": spanishPlurals, "ru": russianPlurals, "th": thaiPlurals}

// texts returns the messages that templates and code of the command say.
func texts(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir("../..", func(name string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".html") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		data, err := os.ReadFile(name)
		for _, m := range said.FindAllSubmatch(data, -1) {
			text, uerr := strconv.Unquote(string(m[1]))
			if uerr != nil {
				t.Errorf("%s: %s: %v", name, m[1], uerr)
			}
			all = append(all, text)
		}
		return err
	})
	sites, gerr := filepath.Glob("../demosite/*.go")
	if gerr != nil || len(sites) == 0 {
		t.Fatal("the sites of the demo are not found: ", gerr)
	}
	for _, name := range append(sites, "../say/reason.go", "../../../../crawler/verify/report.go",
		"../../../../crawler/verify/accesslog_judge.go") {
		data, rerr := os.ReadFile(name)
		err = errors.Join(err, rerr)
		for _, m := range told.FindAllSubmatch(data, -1) {
			text, uerr := strconv.Unquote(plus.ReplaceAllString(string(m[1]), ""))
			err = errors.Join(err, uerr)
			all = append(all, text)
		}
	}
	if err != nil || len(all) < 30 {
		t.Fatalf("%d messages found: %v", len(all), err)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestTables_LackNothing(t *testing.T) {
	all := texts(t)
	for name, table := range tables {
		for _, text := range all {
			if _, counted := counts["en"][text]; counted {
				if counts[name][text] == nil {
					t.Errorf("%s: no forms of %q", name, text)
				}
				continue
			}
			translated, ok := table[text]
			if !ok || translated == "" || translated == text && !strings.HasSuffix(text, "B") && name+" "+text != "es %d bytes" {
				t.Errorf("%s: %q is not translated", name, text)
			}
			if got, want := verb.FindAllString(translated, -1), verb.FindAllString(text, -1); !slices.Equal(got, want) {
				t.Errorf("%s: %q has the placeholders %q, want %q", name, translated, got, want)
			}
		}
		for text := range maps.Keys(table) {
			if !slices.Contains(all, text) {
				t.Errorf("%s: nobody says %q", name, text)
			}
		}
	}
	for name, forms := range counts {
		for text, all := range forms {
			for i := 1; i < len(all); i += 2 {
				if got, want := verb.FindAllString(all[i].(string), -1), verb.FindAllString(text, -1); !slices.Equal(got, want) {
					t.Errorf("%s: %q has the placeholders %q, want %q", name, all[i], got, want)
				}
			}
		}
	}
}

func TestSay_Plurals(t *testing.T) {
	for _, tt := range []struct {
		language string
		n        int
		want     string
	}{
		{"en", 1, "1 site"}, {"en", 2, "2 sites"}, {"es", 1, "1 sitio"}, {"es", 0, "0 sitios"}, {"th", 1, "1 เว็บไซต์"},
		{"ru", 1, "1 сайт"}, {"ru", 2, "2 сайта"}, {"ru", 4, "4 сайта"}, {"ru", 5, "5 сайтов"}, {"ru", 11, "11 сайтов"},
		{"ru", 12, "12 сайтов"}, {"ru", 21, "21 сайт"}, {"ru", 22, "22 сайта"}, {"ru", 111, "111 сайтов"},
	} {
		l, known := In(tt.language)
		if got := l.Say("%d sites", tt.n); !known || got != tt.want {
			t.Errorf("%s: %q, want %q", tt.language, got, tt.want)
		}
	}
}

func TestIn_Locales(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "C": "", "C.UTF-8": "", "POSIX": "", "de_DE.UTF-8": "", "en_GB.UTF-8": "en", "ru": "ru", "ru_RU.UTF-8": "ru",
		"es-MX": "es", "th_TH": "th", "es@euro": "es", "RU": "ru", "rubbish": "",
	} {
		l, known := In(name)
		if got := l.Say("en"); known != (want != "") || known && got != want {
			t.Errorf("In(%q) = %s, %v, want %q", name, got, known, want)
		}
	}
	environment := map[string]string{"LANG": "es_ES", "LC_MESSAGES": "ru_RU.UTF-8"}
	if got := FromEnvironment(func(name string) string { return environment[name] }); got != "ru_RU.UTF-8" {
		t.Errorf("FromEnvironment = %q, want LC_MESSAGES", got)
	}
}
