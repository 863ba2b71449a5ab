package verify_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/crawler/verify"
)

func TestReplay(t *testing.T) {
	j := write(t, story())
	for name, tt := range map[string]struct {
		robots map[string][]byte
		want   map[verify.Change]int64
		sample verify.Sample
	}{
		"with the file of the time": {nil, map[verify.Change]int64{verify.Same: 5}, verify.Sample{}},
		"with one that closes more": {
			map[string][]byte{host: []byte("User-agent: *\nDisallow: /private/\nDisallow: /shaky")},
			map[verify.Change]int64{verify.Same: 2, verify.NowClosed: 3},
			verify.Sample{
				Seq: 5, URL: base + "/private/press", Change: verify.NowClosed, Was: "allowed by line 3: Allow: /private/press",
				Now: "forbidden by line 2: Disallow: /private/",
			},
		},
		"with one that opens all": {
			map[string][]byte{host: []byte("")},
			map[verify.Change]int64{verify.Same: 3, verify.NowOpen: 1, verify.OtherLine: 1},
			verify.Sample{
				Seq: 7, URL: base + "/private/diary", Change: verify.NowOpen, Was: "forbidden by line 2: Disallow: /private/",
				Now: "allowed (no-group)",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := verify.Replay(t.Context(), j, verify.ReplayOptions{Robots: tt.robots})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, r.Counts); diff != "" {
				t.Error(diff)
			}
			var first verify.Sample
			if len(r.Samples) > 0 {
				first = r.Samples[0]
			}
			if diff := cmp.Diff(tt.sample, first); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReplay_MissingEvidence(t *testing.T) {
	j := write(t, story())
	j.Robots = t.TempDir()
	r, err := verify.Replay(t.Context(), j, verify.ReplayOptions{Samples: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Counts[verify.CannotTell] != 5 || len(r.Samples) != 1 {
		t.Errorf("%+v", r)
	}
	var unknown *verify.UnknownSiteError
	_, err = verify.Replay(t.Context(), j, verify.ReplayOptions{Robots: map[string][]byte{"b.example": nil}})
	if !errors.As(err, &unknown) || unknown.Site != "b.example" {
		t.Errorf("unknown site: %v", err)
	}
}

// TestFormat1 reads the job that a released version has left: a ledger of every kind of record. It must stay proven, and every
// decision must come out as it did. Of its outcomes 50 are done and one is retrying: the words of frontier.Status.
func TestFormat1(t *testing.T) {
	j := verify.Job{Ledger: "testdata/format1/ledger", Robots: "testdata/format1/robots", Pages: "testdata/format1/pages"}
	p := prove(t, j, verify.Options{SkipFiles: true})
	if p.Records != 133 || p.Requests != 59 {
		t.Errorf("%d records, %d requests", p.Records, p.Requests)
	}
	for _, p := range p.Promises {
		want := verify.Proven
		if p.Name == verify.Pages || p.Name == verify.Listed { // it kept no pages, and no digests of their lines
			want = verify.NotShown
		}
		if p.Verdict != want {
			t.Errorf("%s: %s %v", p.Name, p.Verdict, p.Findings)
		}
	}
	r, err := verify.Replay(t.Context(), j, verify.ReplayOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[verify.Change]int64{verify.Same: r.Decisions}, r.Counts); diff != "" || r.Decisions < 60 {
		t.Errorf("%d decisions, %s\n%v", r.Decisions, diff, r.Samples)
	}
}
