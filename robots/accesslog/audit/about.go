package audit

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/cybermapper/cybermapper/robots/roster"
)

// About is what is known of a robot besides what it did: what its record in the roster says.
type About struct {
	Name    string `json:"name,omitempty"`
	Owner   string `json:"owner,omitempty"`
	Contact string `json:"contact,omitempty"` // a mail address or a page of the owner
	Details string `json:"details,omitempty"` // the page about the robot
	Purpose string `json:"purpose,omitempty"`
	Ranges  string `json:"ranges_url,omitempty"`         // where its maker publishes the addresses from which it comes
	Keys    string `json:"signature_keys_url,omitempty"` // and the keys with which it signs
	Notes   string `json:"notes,omitempty"`
}

// aboutRobot returns what a record says; nil for none.
func aboutRobot(r *roster.Record) *About {
	if r == nil {
		return nil
	}
	return &About{
		Name: r.Value("robot-name"), Owner: r.Owner(), Contact: r.Contact(), Details: r.Value("robot-details-url"),
		Purpose: r.Value("robot-purpose"), Ranges: r.Value("robot-ranges-url"), Keys: r.Value("robot-signature-keys-url"),
		Notes: r.Value("robot-notes"),
	}
}

// Reach returns where the owner of a robot can be reached: the contact of its record, or else what its User-Agent says, or else the
// page about it; empty when there is none of them, and when the name is borrowed, for then it is somebody else.
func (r Robot) Reach() string {
	if r.Identity == Disproved {
		return ""
	}
	if r.About == nil {
		return r.Claimed
	}
	return cmp.Or(r.About.Contact, r.Claimed, r.About.Details)
}

// code is what attackers send as a User-Agent, for a shell, a logger or an interpreter to run it.
var code = regexp.MustCompile(`\(\) *\{|\$\{|<\?|/bin/|(^|[;|&]) *(wget|curl) `)

// claimedContact returns the first URL or mail address in a User-Agent, unless it is code: the URL is then of what it would load.
func claimedContact(agent string) string {
	if code.MatchString(agent) {
		return ""
	}
	isBetween := func(c rune) bool { return !unicode.IsPrint(c) || strings.ContainsRune(" ;,()<>\"'", c) }
	for part := range strings.FieldsFuncSeq(agent, isBetween) {
		part = strings.TrimPrefix(strings.TrimLeft(part, "+"), "mailto:")
		name, host, isMail := strings.Cut(part, "@")
		if strings.HasPrefix(part, "http://") || strings.HasPrefix(part, "https://") || isMail && name != "" &&
			strings.Contains(host, ".") {
			return part
		}
	}
	return ""
}

// Sightings returns what is worth a note of the robots in the report: of those that came more than sporadically under their own
// name, once for each product token, the busiest first.
func (r *Report) Sightings() []roster.Sighting {
	byToken := map[string]*roster.Sighting{}
	requests := map[string]int64{}
	for _, one := range slices.Concat(r.Robots, r.UserTriggered) {
		if one.Identity == Disproved {
			continue
		}
		token := strings.ToLower(one.Token)
		requests[token] += one.Requests
		s := byToken[token]
		if s == nil {
			s = &roster.Sighting{Token: one.Token, Agent: one.Agent, First: one.First, Last: one.Last, Asking: string(AskedNever)}
			byToken[token] = s
		}
		if one.First.Before(s.First) {
			s.First = one.First
		}
		if one.Last.After(s.Last) {
			s.Last = one.Last
		}
		if one.Asking.When == AskedFirst || s.Asking == string(AskedNever) {
			s.Asking = string(one.Asking.When)
		}
		for _, a := range one.Addresses {
			s.Addresses = append(s.Addresses, a.Client)
		}
	}
	return worthNoting(byToken, requests)
}

// worthNoting returns those with more than sporadic requests, the busiest first.
func worthNoting(byToken map[string]*roster.Sighting, requests map[string]int64) []roster.Sighting {
	list := []roster.Sighting{}
	for token, s := range byToken {
		if requests[token] > sporadic {
			list = append(list, *s)
		}
	}
	slices.SortFunc(list, func(x, y roster.Sighting) int {
		x.Token, y.Token = strings.ToLower(x.Token), strings.ToLower(y.Token)
		return cmp.Or(cmp.Compare(requests[y.Token], requests[x.Token]), cmp.Compare(x.Token, y.Token))
	})
	return list
}
