package disk_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// Ensure that links come out of a list as they went in.
func TestLinks_RoundTrip(t *testing.T) {
	want := frontiertest.Links(t, "http://a.test/1", "https://a.test/2?x=%2F", "http://b.test:8080/", "http://a.test/3", "http://[::1]:81/")
	want[0].Force, want[0].Depth, want[0].Priority = true, 3, -7
	want[1].Via, want[1].Hops = want[0].URL, []frontier.URL{want[2].URL, want[3].URL}
	want[2].Kind, want[2].Modified, want[2].Every = 2, time.Unix(1_700_000_000, 0).UTC(), time.Hour
	want[3].Force, want[3].State = true, []byte("state")
	for n := range len(want) + 1 {
		got, err := disk.DecodeLinks(disk.AppendLinks(nil, want[:n]))
		if diff := cmp.Diff(want[:n], got, cmpopts.EquateComparable(frontier.URL{}), cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%d links: %v\n%s", n, err, diff)
		}
	}
}

// Ensure that no bytes make DecodeLinks panic or allocate beyond their own length, and that what it reads is written and read to
// the same again.
func FuzzDecodeLinks(f *testing.F) {
	u, err := frontier.ParseURL("http://a.test/x")
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{})
	f.Add(disk.AppendLinks(nil, nil))
	f.Add(disk.AppendLinks(nil, []frontier.Link{{URL: u, Force: true}, {URL: u, Via: u, State: []byte("s"), Every: time.Second}}))
	f.Add([]byte{1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		read, err := disk.DecodeLinks(b)
		if err != nil {
			return
		}
		code := disk.AppendLinks(nil, read)
		again, err := disk.DecodeLinks(code)
		if err != nil || !slices.Equal(disk.AppendLinks(nil, again), code) {
			t.Errorf("%x is read as %+v, written as %x, and read as %+v, %v", b, read, code, again, err)
		}
	})
}
