package verify_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/robots"
)

func TestCertify(t *testing.T) {
	records := story()
	records[0].UserAgent = "cybermapper/1.0 (study; +ops@example.org)"
	other := request("/", 12.5)
	other.URL, other.Site, other.RobotsReason = "http://b.example/", "b.example", ""
	j := write(t, slices.Insert(records, 10, other))
	c, err := verify.Certify(t.Context(), j, host, verify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Proof.Verdict != verify.Proven {
		t.Errorf("%s: the fault of another site counts against this one", c.Proof.Verdict)
	}
	if c.Requests != 5 || c.Pages != 4 || c.Robots != 1 || c.Contact != "ops@example.org" || !c.First.Equal(at(0.5)) {
		t.Errorf("%+v", c)
	}
	if g := c.Gaps; g.Count != 4 || g.Least != 2400*time.Millisecond || g.Most != 2900*time.Millisecond {
		t.Errorf("gaps %+v", g)
	}
	want := []verify.Forbidden{{URL: base + "/private/diary", Time: at(6.3), Rule: "Disallow: /private/", Line: 2, Digest: digest(file)}}
	if diff := cmp.Diff(want, c.Forbidden); diff != "" {
		t.Error(diff)
	}
	if len(c.Versions) != 1 || c.Versions[0].Used != 4 || c.Versions[0].Text != file {
		t.Errorf("versions %+v", c.Versions)
	}
	var unknown *verify.UnknownSiteError
	if _, err := verify.Certify(t.Context(), j, "c.example", verify.Options{}); !errors.As(err, &unknown) {
		t.Errorf("unknown site: %v", err)
	} else if !slices.Equal(unknown.Known, []string{host, "b.example"}) {
		t.Errorf("known are %q", unknown.Known)
	}
}

// What the robots.txt of today would close is told apart from what was closed then.
func TestCertify_UnderTheirPresentRobotsTxt(t *testing.T) {
	records := story()
	later := robotsRequest(90000)
	later.Digest = digest(file + "Visit-time: 0100-0200\n") // a file that is stored, and closes what the other closes
	end := records[len(records)-1]
	end.Time = at(90010)
	c, err := verify.Certify(t.Context(), write(t, append(records[:len(records)-1], later, end)), host, verify.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p := c.Present; p == nil || p.Checked != 4 || p.Closed != 0 || !p.Fetched.Equal(at(90000.1)) {
		t.Errorf("%+v", p)
	}
	closing := "User-agent: *\nDisallow: /shaky\n"
	later.Digest = digest(closing)
	j := write(t, append(records[:len(records)-1], later, end))
	if _, err := robots.DirBodies(j.Robots).Put([]byte(closing)); err != nil {
		t.Fatal(err)
	}
	if c, err = verify.Certify(t.Context(), j, host, verify.Options{}); err != nil {
		t.Fatal(err)
	}
	if p := c.Present; p == nil || p.Checked != 4 || p.Closed != 2 || p.First[0].URL != base+"/shaky" || p.First[0].Line != 2 {
		t.Errorf("%+v", p)
	}
}
