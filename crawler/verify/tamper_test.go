package verify_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// TestProve_Tampering changes what a crawl has left behind. Each change is found, and named.
func TestProve_Tampering(t *testing.T) {
	lines := func(change func(l []string) []string) func(t *testing.T, j verify.Job) {
		return func(t *testing.T, j verify.Job) {
			edit(t, filepath.Join(j.Ledger, "ledger-000001.jsonl"), func(text string) string {
				return strings.Join(change(strings.SplitAfter(text, "\n")), "")
			})
		}
	}
	for name, tt := range map[string]struct {
		harm    func(t *testing.T, j verify.Job)
		promise verify.Name
		what    string
	}{
		"a record is altered": {
			lines(func(l []string) []string { l[4] = strings.Replace(l[4], "press", "diary", 1); return l }),
			verify.Chain, "record 5 (ledger-000001.jsonl line 5) : was altered",
		},
		"a record is dropped": {
			lines(func(l []string) []string { return slices.Delete(l, 4, 5) }),
			verify.Chain, "record 6 (ledger-000001.jsonl line 5) : follows record 4: records between are missing",
		},
		"a record is inserted": {
			lines(func(l []string) []string { return slices.Insert(l, 4, l[2]) }),
			verify.Chain, "record 3 (ledger-000001.jsonl line 5) : follows record 4: inserted or out of order",
		},
		"records are moved": {
			lines(func(l []string) []string { l[4], l[5] = l[5], l[4]; return l }),
			verify.Chain, "record 6 (ledger-000001.jsonl line 5) : follows record 4: records between are missing",
		},
		"the tail is cut": {
			lines(func(l []string) []string { return l[:9] }),
			verify.Chain, "record 12 (ledger-000001.jsonl line 12) : is missing: the ledger ends after record 9",
		},
		"the beginning is cut": {
			lines(func(l []string) []string { return l[1:] }),
			verify.Chain, "record 2 (ledger-000001.jsonl line 1) : follows record 0: records between are missing",
		},
		"all is gone": {
			func(t *testing.T, j verify.Job) {
				filetest.Remove(t, filepath.Join(j.Ledger, "ledger-000001.jsonl"))
			},
			verify.Chain, "is missing: the ledger ends after record 0",
		},
		"a stored robots.txt is altered": {
			func(t *testing.T, j verify.Job) {
				name := strings.TrimPrefix(digest(file), "sha256:")
				edit(t, filepath.Join(j.Robots, name), func(s string) string { return strings.Replace(s, "/private/\n", "/\n", 1) })
			},
			verify.Files, "was altered",
		},
		"a page is altered": {
			func(t *testing.T, j verify.Job) {
				edit(t, filepath.Join(j.Pages, "a.example~80", "~index.html"), func(string) string { return "!" })
			},
			verify.Pages, "~index.html",
		},
		"a page is altered, and its line": {
			func(t *testing.T, j verify.Job) {
				edit(t, filepath.Join(j.Pages, "a.example~80", "~index.html"), func(string) string { return "!" })
				edit(t, filepath.Join(j.Pages, "pages.jsonl"), func(s string) string {
					return strings.Replace(s, "8a5edab282632443219e051e4ade2d1d5bbc671c781051bf1437897cbdfea0f1",
						"bb7208bc9b5d7c04f1236a82a0093a5e33f40423d5ba8d4266f7092c3ba43b62", 1)
				})
			},
			verify.Pages, "the ledger names another body than sha256:bb7208bc",
		},
		"a page is added": {
			func(t *testing.T, j verify.Job) {
				edit(t, filepath.Join(j.Pages, "pages.jsonl"), func(s string) string {
					first, _, _ := strings.Cut(s, "\n")
					return s + strings.ReplaceAll(first, "a.example/", "a.example/private/diary") + "\n"
				})
			},
			verify.Pages, "no request of the ledger brought it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := write(t, story())
			tt.harm(t, j)
			r := prove(t, j, verify.Options{})
			p := r.Promise(tt.promise)
			if p.Verdict != verify.Refuted {
				t.Fatalf("%s is %s: %v", p.Name, p.Verdict, p.Findings)
			}
			if got := p.Findings[0].String(); !strings.Contains(got, tt.what) {
				t.Errorf("first finding %q, want %q", got, tt.what)
			}
			for _, p := range r.Promises {
				if tt.promise == verify.Chain && p.Verdict == verify.Proven {
					t.Errorf("%s is proven from a broken chain", p.Name)
				}
			}
		})
	}
}

// A tail that had not been brought to stable storage can be cut unnoticed. That is said, with the record it begins after.
func TestProve_ATailThatNobodyMisses(t *testing.T) {
	whole := write(t, story())
	j := write(t, story()[:6]) // whose head is an honest one
	edit(t, filepath.Join(whole.Ledger, "ledger-000001.jsonl"), func(text string) string {
		return strings.Join(strings.SplitAfter(text, "\n")[:9], "") // without the fourth page and what follows
	})
	head := filetest.Read(t, filepath.Join(j.Ledger, "ledger.head"))
	edit(t, filepath.Join(whole.Ledger, "ledger.head"), func(string) string { return string(head) })
	r := prove(t, whole, verify.Options{})
	if got := r.Promise(verify.Chain).Verdict; got != verify.Proven {
		t.Errorf("chain is %s, want proven as far as anybody can tell", got)
	}
	if got := strings.Join(r.Notes, "\n"); !strings.Contains(got, "records were cut off behind record 6") {
		t.Errorf("notes %q do not bound what may be missing", got)
	}
	if p := r.Promise(verify.Pages); p.Verdict != verify.NotShown || p.Unknown != 1 {
		t.Errorf("pages: %s %v, want the page of the lost request not shown", p.Verdict, p.Findings)
	}
}
