package preference_test

import (
	"testing"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/preference"
)

// checkPreferences says what holds of preferences, whatever was said.
func checkPreferences(t *testing.T, p preference.Preferences) {
	t.Helper()
	if len(p) > preference.MaxStatements {
		t.Fatalf("%d statements", len(p))
	}
	values := p.Combined()
	for _, s := range p {
		switch s.Value {
		case preference.Allow, preference.Disallow, preference.Unknown:
		default:
			t.Fatalf("value %q", s.Value)
		}
		if s.Source == "" || s.Place == "" || s.Use == "" {
			t.Fatalf("statement without source: %+v", s)
		}
		if s.Value == preference.Disallow && values[s.Use] != preference.Disallow {
			t.Fatalf("%s is %s although %+v", s.Use, values[s.Use], s)
		}
	}
}

// A statement more never opens what the others refuse.
func checkStricter(t *testing.T, before, after preference.Preferences) {
	t.Helper()
	for use, v := range before.Combined() {
		if v == preference.Disallow && after.Value(use) != preference.Disallow {
			t.Fatalf("%s was refused, and is %s with more said", use, after.Value(use))
		}
	}
}

func FuzzContentUsage(f *testing.F) {
	for _, text := range []string{"train-ai=n, search=y", `a=(b "c";d=1);e, f=?1, g=:aa==:, h=@-1, i=%"x"`, "x=1.2345", "a;b;c=*, search", `"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := said{usage: text}.read()
		checkPreferences(t, p)
		with := said{usage: text, robots: "Content-Usage: train-ai=n"}.read()
		checkPreferences(t, with)
		checkStricter(t, said{robots: "Content-Usage: train-ai=n"}.read(), with)
	})
}

func FuzzContentSignal(f *testing.F) {
	f.Add("search=yes, ai-train=no")
	f.Add("/x ai-input=no\nContent-Signal: =,=,search")
	f.Fuzz(func(t *testing.T, text string) {
		checkPreferences(t, said{robots: "Content-Signal: " + text}.read())
	})
}

func FuzzTDM(f *testing.F) {
	f.Add([]byte(`[{"location":"/a*","tdm-reservation":1,"tdm-policy":"x"}]`), "1", "0")
	f.Add([]byte(`[{"location":"","tdm-reservation":"1"},null]`), "", "")
	f.Fuzz(func(t *testing.T, file []byte, header, meta string) {
		without := said{reservation: header, metas: []robots.Meta{{Name: "tdm-reservation", Content: meta}}}
		with := without
		with.tdm = string(file)
		checkPreferences(t, with.read())
		checkStricter(t, without.read(), with.read())
	})
}
