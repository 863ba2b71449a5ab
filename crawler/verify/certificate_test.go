package verify_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/crawler/verify"
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
