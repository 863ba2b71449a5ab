package ledger_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// describe makes the contents of the ledger in dir.
func describe(t *testing.T, dir string) {
	t.Helper()
	if err := ledger.Describe(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
}

// wild writes a ledger of many small files, all but the last few of them packed, with records of each type.
func wild(t *testing.T, seed uint64) (dir string) {
	t.Helper()
	dir = t.TempDir()
	l := open(t, dir, ledger.Options{MaxFile: 2000, Plain: true})
	random := rand.New(rand.NewPCG(seed, 0))
	types := []ledger.Type{ledger.Request, ledger.Request, ledger.Outcome, ledger.Refusal, ledger.Rest, ledger.Seed, ledger.Purge, ledger.Run}
	for range 300 {
		site := fmt.Sprintf("%d.example", random.IntN(20))
		r := ledger.Record{Type: types[random.IntN(len(types))]}
		if r.Type != ledger.Run {
			r.Site, r.URL = site, fmt.Sprintf("http://%s/%d?a=\"<&>é", site, random.IntN(40))
		}
		if random.IntN(3) == 0 {
			r.Via = fmt.Sprintf("https://%d.example:80/", random.IntN(20))
		}
		if r.Type == ledger.Request && random.IntN(5) == 0 {
			r.Origin = "http://" + site
		}
		mustAppend(t, l, r)
	}
	filetest.Close(t, l)
	list, err := ledger.Files(dir)
	if err != nil || len(list) < 20 {
		t.Fatalf("%d files, error %v", len(list), err)
	}
	for n := range len(list) - 2 {
		packAll(t, dir, n+1)
	}
	return dir
}

// What is selected has all that is looked for, and leaves out files.
func TestContents_LeaveNothingOut(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		dir := wild(t, seed)
		describe(t, dir)
		var records []ledger.Record
		for r, err := range ledger.Read(dir, ledger.ReadOptions{}) {
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, r)
		}
		c := ledger.OpenContents(dir)
		files, err := c.Files()
		if err != nil {
			t.Fatal(err)
		}
		asked := map[ledger.Key]func(ledger.Record) bool{
			ledger.OfRuns(): func(r ledger.Record) bool { return r.Type == ledger.Run },
		}
		for _, r := range records {
			if r.Type == ledger.Run {
				continue
			}
			asked[ledger.OfURL(r.URL)] = func(o ledger.Record) bool { return o.URL == r.URL }
			asked[ledger.OfHost(r.Site)] = func(o ledger.Record) bool { return o.Site == r.Site || strings.HasPrefix(o.Via, "http://"+r.Site+"/") }
			asked[ledger.OfRequests(r.Site)] = func(o ledger.Record) bool { return o.Type == ledger.Request && o.Site == r.Site }
			asked[ledger.OfRests(r.Site)] = func(o ledger.Record) bool { return o.Type == ledger.Rest && o.Site == r.Site }
			if r.Origin != "" {
				asked[ledger.OfRobots(r.Origin)] = func(o ledger.Record) bool { return o.Origin == r.Origin }
			}
			if r.Via != "" {
				host := strings.TrimSuffix(strings.TrimPrefix(r.Via, "https://"), "/")
				asked[ledger.OfHost(host)] = func(o ledger.Record) bool { return o.Via == r.Via }
			}
		}
		left := 0
		for key, wanted := range asked {
			s := c.Select(key)
			for _, n := range files {
				if !s.Has(n) {
					left++
				}
			}
			var got, want []ledger.Record
			for r, err := range ledger.Read(dir, ledger.ReadOptions{In: s}) {
				if err != nil {
					t.Fatal(err)
				}
				if wanted(r) {
					got = append(got, r)
				}
			}
			for _, r := range records {
				if wanted(r) {
					want = append(want, r)
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, key %d: %s", seed, key, cmp.Diff(want, got))
			}
		}
		if left < len(asked)*len(files)/10 {
			t.Errorf("seed %d: of %d files %d were left out for %d keys", seed, len(files), left, len(asked))
		}
	}
}

// Whatever happens to a ledger, who leaps says the same as who walks.
func TestContents_FindDamageAsVerifyDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	whole := wild(t, 0)
	describe(t, whole)
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		filetest.Copy(t, dir, whole)
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		name := names[random.IntN(len(names))]
		text := filetest.Read(t, name)
		switch i := random.IntN(len(text)); random.IntN(5) {
		case 0:
			os.Remove(name)
		case 1:
			text[i] ^= byte(1 + random.IntN(255))
			os.WriteFile(name, text, 0o644)
		case 2:
			os.WriteFile(name, text[:i], 0o644)
		case 3:
			os.WriteFile(name, append(text, text[i:]...), 0o644)
		case 4: // another file of the ledger in its place
			other := names[random.IntN(len(names))]
			text := filetest.Read(t, other)
			os.WriteFile(name, text, 0o644)
		}
		report, verr := ledger.Verify(dir)
		err = ledger.OpenContents(dir).Sound()
		bad := (*ledger.CorruptError)(nil)
		errors.As(err, &bad)
		if (report.Bad == nil) != (bad == nil) || bad != nil && *bad != *report.Bad || (err == nil) != (verr == nil && report.Bad == nil) {
			t.Errorf("seed %d: with %s damaged Verify says %v, %v; the contents say %v", seed, filepath.Base(name), report.Bad, verr, err)
		}
	}
}

// Contents that leave something out are believed by who asks them, and by no one else; check finds them out.
func TestCheckContents(t *testing.T) {
	dir := wild(t, 1)
	describe(t, dir)
	if wrong, err := ledger.CheckContents(t.Context(), dir); err != nil || len(wrong) > 0 {
		t.Fatalf("sound contents are wrong of %q, error %v", wrong, err)
	}
	name := filepath.Join(dir, "contents")
	if err := ledger.ForgetKeys(name, 3); err != nil {
		t.Fatal(err)
	}
	if wrong, err := ledger.CheckContents(t.Context(), dir); err != nil || !reflect.DeepEqual(wrong, []string{"ledger-000003.jsonl.zst"}) {
		t.Errorf("forged contents are wrong of %q, error %v", wrong, err)
	}
	if r := verify(t, dir); r.Bad != nil {
		t.Errorf("Verify asks the contents: %v", r.Bad)
	}
	describe(t, dir)
	if wrong, err := ledger.CheckContents(t.Context(), dir); err != nil || len(wrong) > 0 {
		t.Errorf("contents made anew are wrong of %q, error %v", wrong, err)
	}
}

// A ledger describes what it packs, and what an earlier version has packed.
func TestContents_AreWrittenOnTheWay(t *testing.T) {
	dir := wild(t, 2)
	for _, lose := range []func(){
		func() {},
		func() { os.Remove(filepath.Join(dir, "contents")) },
		func() { os.Truncate(filepath.Join(dir, "contents"), 1500) },
	} {
		lose()
		l := open(t, dir, ledger.Options{MaxFile: 2000})
		for range 30 {
			mustAppend(t, l, ledger.Record{Type: ledger.Refusal, URL: "http://late.example/"})
		}
		if err := l.Sync(); err != nil {
			t.Fatal(err)
		}
		ledger.WaitPacked(l)
		filetest.Close(t, l)
		written := filetest.Read(t, filepath.Join(dir, "contents"))
		s := ledger.OpenContents(dir).Select(ledger.OfURL("http://nobody.example/"))
		files, err := ledger.Files(dir)
		if err != nil {
			t.Fatal(err)
		}
		for n := range files {
			if isLast := n == len(files)-1; s.Has(n+1) != isLast {
				t.Errorf("%s, %d bytes: chosen %v; all but the last can be left out", files[n].Name, len(written), s.Has(n+1))
			}
		}
	}
}

// Lines of one file are what is in it; a line that is not whole is not.
func TestContents_Lines(t *testing.T) {
	dir := threeFiles(t)
	filetest.Append(t, filepath.Join(dir, "ledger-000003.jsonl"), `{"seq":11`)
	c := ledger.OpenContents(dir)
	files, err := c.Files()
	var all []string
	for _, n := range files {
		for l, err := range c.Lines(n) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(l))
		}
	}
	if diff := cmp.Diff(linesOf(t, dir, 0), all); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if files, err := ledger.OpenContents(filepath.Join(dir, "none")).Files(); err != nil || len(files) > 0 {
		t.Errorf("no ledger has files %v, error %v", files, err)
	}
}
