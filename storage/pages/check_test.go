package pages_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/pages"
)

// three stores three pages, two of which have the same body.
func three(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	s := open(t, dir)
	put(t, s, page("https://example.org/a", "one"))
	put(t, s, page("https://example.org/b", "two"))
	put(t, s, page("https://example.org/c", "one"))
	filetest.Close(t, s)
	return dir
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(dir string) error
		want  []string
	}{
		{
			name:  "nothing",
			spoil: func(string) error { return nil },
		},
		{
			name:  "a file is missing",
			spoil: func(dir string) error { return os.Remove(filepath.Join(dir, "example.org/a~.html")) },
			want: []string{
				"pages.jsonl line 1: example.org/a~.html: the file is missing (https://example.org/a)",
			},
		},
		{
			name: "a file is shorter",
			spoil: func(dir string) error {
				return os.WriteFile(filepath.Join(dir, "example.org/b~.html"), []byte("tw"), 0o644)
			},
			want: []string{"pages.jsonl line 2: example.org/b~.html: the file has 2 bytes, want 3 (https://example.org/b)"},
		},
		{
			name: "a file is different",
			spoil: func(dir string) error {
				return os.WriteFile(filepath.Join(dir, "example.org/b~.html"), []byte("owt"), 0o644)
			},
			want: []string{"pages.jsonl line 2: example.org/b~.html: the file has digest sha256:"},
		},
		{
			name: "a file has no line",
			spoil: func(dir string) error {
				return os.WriteFile(filepath.Join(dir, "example.org/stray.html"), nil, 0o644)
			},
			want: []string{"example.org/stray.html: no line is about this file"},
		},
		{
			name:  "a line is no line",
			spoil: func(dir string) error { return appendTo(dir, "gibberish\n") },
			want:  []string{"pages.jsonl line 4: pages.jsonl: not a page ()"},
		},
		{
			name:  "a line leads out of the store",
			spoil: func(dir string) error { return appendTo(dir, `{"url":"https://x/","file":"../../etc/passwd"}`+"\n") },
			want:  []string{"pages.jsonl line 4: ../../etc/passwd: not a name in the store (https://x/)"},
		},
		{
			name:  "an unfinished line",
			spoil: func(dir string) error { return appendTo(dir, `{"url":"https://x/"`) },
		},
		{
			name: "a page that was lost and stored again",
			spoil: func(dir string) error {
				if err := os.Truncate(filepath.Join(dir, "example.org/b~.html"), 0); err != nil {
					return err
				}
				s, err := pages.Open(dir, pages.Options{})
				if err != nil {
					return err
				}
				return errors.Join(s.Put(context.Background(), page("https://example.org/b", "new")), s.Close())
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := three(t)
			if err := tt.spoil(dir); err != nil {
				t.Fatal(err)
			}
			r, err := pages.Check(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, p := range r.Problems {
				text := p.String()
				if i < len(tt.want) && strings.HasPrefix(text, tt.want[i]) {
					text = tt.want[i]
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func appendTo(dir, text string) error {
	f, err := os.OpenFile(filepath.Join(dir, "pages.jsonl"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func TestCheck_ChangesNothing(t *testing.T) {
	dir := three(t)
	if err := appendTo(dir, "{"); err != nil {
		t.Fatal(err)
	}
	before := content(t, dir, "pages.jsonl")
	checkSound(t, dir)
	if content(t, dir, "pages.jsonl") != before {
		t.Error("Check changed the list")
	}
}

// A store that lies elsewhere, and has a link in its place, is as sound as it is there.
func TestCheck_ThroughALink(t *testing.T) {
	link := filepath.Join(t.TempDir(), "pages")
	if err := os.Symlink(three(t), link); err != nil {
		t.Skip(err) // no such links here
	}
	checkSound(t, link)
	filetest.Write(t, filepath.Join(link, "half"), "x")
	r, err := pages.Check(t.Context(), link)
	if err != nil || len(r.Problems) != 1 || r.Problems[0].File != "half" {
		t.Errorf("Check = %+v, %v; want a problem of one file", r, err)
	}
}

func TestCheck_NoStore(t *testing.T) {
	r, err := pages.Check(t.Context(), filepath.Join(t.TempDir(), "pages"))
	if err != nil || r.Lines != 0 || len(r.Problems) > 0 {
		t.Errorf("Check = %+v, %v; want nothing", r, err)
	}
}

func TestCheck_EndsWithItsContext(t *testing.T) {
	dir := three(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := pages.Check(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("Check = %v", err)
	}
}

func TestRead_NamesABadLineAndGoesOn(t *testing.T) {
	dir := three(t)
	if err := errors.Join(appendTo(dir, "gibberish\n"), appendTo(dir, `{"url":"https://x/"}`+"\n")); err != nil {
		t.Fatal(err)
	}
	var got []string
	for l, err := range pages.Read(dir) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, l.URL)
	}
	want := []string{"https://example.org/a", "https://example.org/b", "https://example.org/c", "pages: pages.jsonl line 4: not a page", "https://x/"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
