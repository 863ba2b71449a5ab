package robotscmd

import (
	"encoding/json"
	"testing"

	"github.com/cybermapper/cybermapper/robots/lint"
)

// A name is a URI there: RFC 3986 has no quotes in it, and a percent or number sign means something else.
func TestSARIF_URI(t *testing.T) {
	for name, want := range map[string]string{
		"-": "robots.txt", "a/robots.txt": "a/robots.txt", `b "c" 50%#.txt`: "b%20%22c%22%2050%25%23.txt", "a:b": "./a:b",
		"https://a.example/robots.txt?x": "https://a.example/robots.txt?x",
	} {
		if got := sarifURI(name); got != want {
			t.Errorf("sarifURI(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestSARIF checks a report for what the schema of SARIF 2.1.0 requires: version, runs, tool.driver.name, unique rule ids,
// results with a message, levels of the enumeration, indexes that point to their rule, lines from 1 on.
func TestSARIF(t *testing.T) {
	file := []byte("Disallow: /a\nUser-agent: *\nDisallow: / b /\nDisallow:\nhello\n\xff\n")
	report := lint.File(file, lint.Options{})
	text, err := json.Marshal(newSARIF("robots.txt", "1.2.3", report))
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct {
						ID                   string
						ShortDescription     struct{ Text string }
						DefaultConfiguration struct{ Level string }
					}
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex *int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           *struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || log.Schema == "" || len(log.Runs) != 1 {
		t.Fatalf("version %q, schema %q, %d runs", log.Version, log.Schema, len(log.Runs))
	}
	levels := map[string]bool{"none": true, "note": true, "warning": true, "error": true}
	driver := log.Runs[0].Tool.Driver
	seen := map[string]bool{}
	for _, r := range driver.Rules {
		if seen[r.ID] || r.ID == "" || r.ShortDescription.Text == "" || !levels[r.DefaultConfiguration.Level] {
			t.Errorf("bad rule %+v", r)
		}
		seen[r.ID] = true
	}
	if driver.Name == "" || len(log.Runs[0].Results) != len(report.Findings) {
		t.Errorf("driver %q, %d results, want %d", driver.Name, len(log.Runs[0].Results), len(report.Findings))
	}
	for _, r := range log.Runs[0].Results {
		if r.RuleIndex == nil || driver.Rules[*r.RuleIndex].ID != r.RuleID || r.Message.Text == "" || !levels[r.Level] || len(r.Locations) != 1 {
			t.Errorf("bad result %+v", r)
			continue
		}
		where := r.Locations[0].PhysicalLocation
		if where.ArtifactLocation.URI != "robots.txt" || where.Region != nil && where.Region.StartLine < 1 {
			t.Errorf("bad location %+v", where)
		}
	}
}
