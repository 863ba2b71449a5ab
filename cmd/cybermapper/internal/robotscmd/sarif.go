package robotscmd

import (
	"github.com/cybermapper/cybermapper/robots/lint"
)

// A sarifLog is a report in the Static Analysis Results Interchange Format 2.1.0 (OASIS), as far as a linter of one file
// needs it.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool    sarifTool     `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID                   string             `json:"id"`
	ShortDescription     sarifText          `json:"shortDescription"`
	DefaultConfiguration sarifConfiguration `json:"defaultConfiguration"`
}

type sarifConfiguration struct {
	Level string `json:"level"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifLocation struct {
	PhysicalLocation sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	ArtifactLocation sarifArtifact `json:"artifactLocation"`
	Region           *sarifRegion  `json:"region,omitempty"` // absent when the finding is about the whole file
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine int        `json:"startLine"`
	Snippet   *sarifText `json:"snippet,omitempty"`
}

// sarifLevel returns the level of SARIF section 3.27.10 for a severity.
func sarifLevel(s lint.Severity) string {
	if s == lint.Info {
		return "note"
	}
	return s.String()
}

// newSARIF returns the report on the file of that URI.
func newSARIF(uri, version string, r lint.Report) sarifLog {
	driver := sarifDriver{Name: "cybermapper robots lint", Version: version, Rules: []sarifRule{}}
	index := map[lint.Code]int{}
	for i, c := range lint.Codes() {
		index[c.Code] = i
		driver.Rules = append(driver.Rules,
			sarifRule{string(c.Code), sarifText{c.Title}, sarifConfiguration{sarifLevel(c.Severity)}})
	}
	run := sarifRun{Tool: sarifTool{driver}, Results: []sarifResult{}}
	for _, f := range r.Findings {
		where := sarifPhysical{ArtifactLocation: sarifArtifact{uri}}
		if f.Line > 0 {
			where.Region = &sarifRegion{StartLine: f.Line}
			if f.Text != "" {
				where.Region.Snippet = &sarifText{f.Text}
			}
		}
		message := f.Message
		if f.Advice != "" {
			message += "\n" + f.Advice
		}
		run.Results = append(run.Results, sarifResult{
			RuleID: string(f.Code), RuleIndex: index[f.Code], Level: sarifLevel(f.Severity),
			Message: sarifText{message}, Locations: []sarifLocation{{where}},
		})
	}
	return sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	}
}
