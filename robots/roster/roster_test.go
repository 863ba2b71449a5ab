package roster_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots/roster"
)

// sample is a record as the old database has it, and one of ours, with what people write between them.
const sample = `# what we know

robot-id: webcrawler
robot-name: WebCrawler
robot-owner-name1: Brian Pinkerton
robot-owner-name2: Somebody Else
robot-host: spidey.webcrawler.com, *.example.com
robot-exclusion-useragent: webcrawler, WC
robot-description: The first line,
  and the second.
robot-history:

robot-id: ours
# called us back
robot-class: user-triggered
robot-owner-email: a@b.example
x-mine: kept
`

func TestParse(t *testing.T) {
	records, problems := roster.Parse([]byte(sample))
	if len(records) != 3 || len(problems) > 0 {
		t.Fatalf("%d records and problems %v, want 3 and none", len(records), problems)
	}
	if got := string(roster.Format(records)); got != sample {
		t.Errorf("Format does not write what was read:\n%s", got)
	}
	wc, ours := records[1], records[2]
	for _, c := range []struct{ what, got, want string }{
		{"owner", wc.Owner(), "Brian Pinkerton"},
		{"tokens", strings.Join(wc.Tokens(), " "), "webcrawler wc"},
		{"description", wc.Value("robot-description"), "The first line,\nand the second."},
		{"history", wc.Value("robot-history"), ""},
		{"contact", ours.Contact(), "a@b.example"},
		{"unknown field", ours.Value("x-mine"), "kept"},
		{"contact of nobody", (*roster.Record)(nil).Contact(), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s is %q, want %q", c.what, c.got, c.want)
		}
	}
	if wc.IsUserTriggered() || !ours.IsUserTriggered() {
		t.Error("classes are mixed up")
	}
}

func TestParse_Tolerant(t *testing.T) {
	messy := "\xef\xbb\xbf\r\n \r\nRobot-ID :  WebCrawler  \r\nrobot-name:WebCrawler\r\n\tagain\r\n#\r\n\r\n\r\n"
	records, problems := roster.Parse([]byte(messy))
	want := "robot-id: WebCrawler\nrobot-name: WebCrawler\n  again\n#\n"
	if got := string(roster.Format(records)); got != want || len(problems) > 0 {
		t.Errorf("read as %q, problems %v", got, problems)
	}
}

func TestParse_Problems(t *testing.T) {
	for text, want := range map[string]string{
		"nonsense\n":                    "line 1: it is not of the form \"field: value\"",
		"robot-id: a\n\n  b\n":          "line 3: it begins with a blank, but there is no field that it could go on with",
		"robot-id: a\n# c\n  b\n":       "line 3: it begins with a blank, but there is no field that it could go on with",
		"# c\nrobot-name: a\nx: y\n":    "line 2: the record has no robot-id",
		"robot-id: a\nrobot name: b":    "line 2: it is not of the form \"field: value\"",
		"<html>\n":                      "line 1: it is not of the form \"field: value\"",
		"robot-id: a\nb: " + long + "c": "line 2: the value is too long",
		"robot-id: a\nb: c\n " + long:   "line 3: the value is too long",
	} {
		_, problems := roster.Parse([]byte(text))
		if len(problems) != 1 || problems[0].Error() != want {
			t.Errorf("problems of %.40q are %v, want %s", text, problems, want)
		}
	}
	if _, problems := roster.Parse(bytes.Repeat([]byte("nonsense\n"), 1000)); len(problems) != 20 {
		t.Errorf("%d problems told, want 20", len(problems))
	}
}

var long = strings.Repeat("x", roster.MaxValue)

// TestBundled: the list that comes with the program has no mistakes, and knows what it should.
func TestBundled(t *testing.T) {
	data := roster.Format(roster.Bundled())
	if _, problems := roster.Parse(data); len(problems) > 0 {
		t.Errorf("the bundled records have problems: %v", problems)
	}
	seen, robots, fetchers := map[string]bool{}, 0, 0
	for _, r := range roster.Bundled() {
		tokens := r.Tokens()
		if len(tokens) == 0 {
			continue
		}
		if r.Owner() == "" || r.Value("robot-name") == "" || seen[tokens[0]] || tokens[0] != strings.ToLower(r.Value("robot-name")) && tokens[0] != "sogou" {
			t.Errorf("the record of %s is not in order", tokens[0])
		}
		seen[tokens[0]] = true
		if r.IsUserTriggered() {
			fetchers++
		} else {
			robots++
		}
	}
	if robots != 64 || fetchers != 27 {
		t.Errorf("%d robots and %d fetchers, want 64 and 27", robots, fetchers)
	}
}

func TestList(t *testing.T) {
	mine, _ := roster.Parse([]byte("robot-id: GoogleBot\nrobot-owner-email: me@here.example\nrobot-notes: called\n\nrobot-id: new\nrobot-exclusion-useragent: newer\nrobot-owner-name:"))
	l := roster.NewList(roster.Bundled(), mine)
	r := l.Find("GOOGLEBOT")
	if r.Owner() != "Google" || r.Contact() != "me@here.example" || r.Value("robot-notes") != "called" {
		t.Errorf("the record is %+v", r)
	}
	if l.Find("newer") != l.Find("new") || l.Find("new") == nil || l.Find("unknown") != nil || (*roster.List)(nil).Find("new") != nil {
		t.Error("records are not found, or found where there are none")
	}
	for host, want := range map[string][2]bool{
		"crawl-1.GoogleBot.com.": {true, true}, "x.google.com": {true, true}, "google.com": {false, true}, "notgooglebot.com": {false, true},
	} {
		if ok, known := r.MayComeFrom(host); ok != want[0] || known != want[1] {
			t.Errorf("MayComeFrom(%s) = %t, %t", host, ok, known)
		}
	}
	some, _ := roster.Parse([]byte("robot-id: a\nrobot-host: h.example\n\nrobot-id: b\nrobot-host: anywhere"))
	if ok, known := some[0].MayComeFrom("h.example"); !ok || !known {
		t.Error("a host that is named is not known")
	}
	if _, known := some[1].MayComeFrom("h.example"); known {
		t.Error("anywhere is taken for a host")
	}
}

func TestNote(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	before, _ := roster.Parse([]byte("# mine\n\nrobot-id: oldbot\nrobot-owner-name: The Owner\n# a comment\nrobot-seen-at: 192.0.2.1\nrobot-first-seen: 2026-02-01T00:00:00Z\nrobot-last-seen: 2026-02-02T00:00:00Z\n"))
	was := string(roster.Format(before))
	seen := []roster.Sighting{
		{Token: "OldBot", Agent: "OldBot/1", First: at, Last: at.Add(time.Hour), Addresses: []string{"192.0.2.2", "192.0.2.1", "a,b"}, Asking: "first"},
		{Token: "NewBot", Agent: "NewBot/1\n(evil: yes)", First: at, Last: at.Add(time.Hour), Addresses: []string{"2001:db8::1"}, Asking: "never"},
		{Token: "\n"},
	}
	after := roster.Note(before, seen)
	want := `# mine

robot-id: oldbot
robot-owner-name: The Owner
# a comment
robot-seen-at: 192.0.2.1, 192.0.2.2
robot-first-seen: 2026-02-01T00:00:00Z
robot-last-seen: 2026-03-01T13:00:00Z
robot-seen-asking: first

robot-id: newbot
robot-name: NewBot
robot-owner-name:
robot-owner-email:
robot-useragent: NewBot/1 (evil: yes)
robot-notes:
robot-first-seen: 2026-03-01T12:00:00Z
robot-last-seen: 2026-03-01T13:00:00Z
robot-seen-asking: never
robot-seen-at: 2001:db8::1
`
	if got := string(roster.Format(after)); got != want {
		t.Errorf("noted:\n%s", got)
	}
	if again := roster.Note(after, seen); !reflect.DeepEqual(again, after) {
		t.Errorf("noting twice changes something:\n%s", roster.Format(again))
	}
	if string(roster.Format(before)) != was {
		t.Error("the records given were changed")
	}
}

// FuzzParse: what was read is read again from what Format makes of it, without problems that were not there, and noting a robot
// keeps it.
func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("robot-id: a\r\n\r\n\tb\n#c\n d\nx:\n  y\n\xff: z"))
	f.Fuzz(func(t *testing.T, data []byte) {
		records, problems := roster.Parse(data)
		again, more := roster.Parse(roster.Format(records))
		if !reflect.DeepEqual(records, again) {
			t.Fatalf("%q is read as %q, and then as %q", data, records, again)
		}
		if len(more) > len(problems) {
			t.Fatalf("%q has problems %v, and then %v", data, problems, more)
		}
		noted := roster.Note(records, []roster.Sighting{{Token: string(data), Agent: string(data), Addresses: []string{string(data)}}})
		if len(noted) < len(records) {
			t.Fatal("a record is lost")
		}
		for i, r := range records {
			for _, field := range r.Fields {
				if !strings.HasPrefix(field.Name, "robot-") && !slices.Contains(noted[i].Fields, field) {
					t.Fatalf("%q is lost", field)
				}
			}
		}
		if back, _ := roster.Parse(roster.Format(noted)); len(back) != len(noted) {
			t.Fatalf("%d records are read as %d", len(noted), len(back))
		}
	})
}

// TestBundled_Sources: that a maker's robot keeps to robots.txt is claimed with the page that says so only.
func TestBundled_Sources(t *testing.T) {
	for _, r := range roster.Bundled() {
		claims := r.Value("robot-exclusion") != "" && !r.IsAnybodys()
		if source := r.Value("robot-exclusion-url"); claims != strings.HasPrefix(source, "http") {
			t.Errorf("%s: exclusion %q, source %q", r.Value("robot-id"), r.Value("robot-exclusion"), source)
		}
		page := r.Value("robot-details-url") + r.Value("robot-exclusion-url") + r.Value("robot-owner-email") + r.Value("robot-owner-url") + r.Value("robot-ranges-url")
		if isMarked := strings.Contains(r.Value("robot-notes"), "Known second-hand"); isMarked != (page == "") && r.Value("robot-id") != "" && !r.IsAnybodys() {
			t.Errorf("%s: marked as known second-hand: %v, of its maker there is %q", r.Value("robot-id"), isMarked, page)
		}
		seen := map[string]bool{}
		for _, f := range r.Fields {
			if f.Name != "#" && seen[f.Name] {
				t.Errorf("%s has %s twice", r.Value("robot-id"), f.Name)
			}
			seen[f.Name] = true
		}
	}
}
