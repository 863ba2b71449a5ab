package ledger_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// edit replaces the lines of the nth file of the ledger in dir by what change makes of them.
func edit(t *testing.T, dir string, file string, change func(lines []string) []string) {
	t.Helper()
	path := filepath.Join(dir, file)
	data := filetest.Read(t, path)
	lines := change(slices.Collect(strings.Lines(string(data))))
	filetest.Write(t, path, strings.Join(lines, ""))
}

// Every ledger below has three files of three records each.
var tampers = []struct {
	name   string
	tamper func(t *testing.T, dir string)
	want   ledger.CorruptError // What is a part of the text
	opens  bool                // Open does not look so far back
}{
	{
		name: "altered in the first file",
		tamper: func(t *testing.T, dir string) {
			edit(t, dir, "ledger-000001.jsonl", func(l []string) []string { return replace(l, 1, "192.0.2.1", "192.0.2.9") })
		},
		want:  ledger.CorruptError{File: "ledger-000001.jsonl", Line: 2, Seq: 2, What: "was altered: the record after it"},
		opens: true,
	},
	{
		name: "altered at the end of a file",
		tamper: func(t *testing.T, dir string) {
			edit(t, dir, "ledger-000001.jsonl", func(l []string) []string { return replace(l, 2, "192.0.2.1", "192.0.2.9") })
		},
		want:  ledger.CorruptError{File: "ledger-000001.jsonl", Line: 3, Seq: 3, What: "was altered: the record after it"},
		opens: true,
	},
	{
		name: "altered the very last record",
		tamper: func(t *testing.T, dir string) {
			edit(t, dir, "ledger-000003.jsonl", func(l []string) []string { return replace(l, 2, "192.0.2.1", "192.0.2.9") })
		},
		want: ledger.CorruptError{File: "ledger-000003.jsonl", Line: 3, Seq: 9, What: "was altered: ledger.head"},
	},
	{
		name: "dropped",
		tamper: func(t *testing.T, dir string) {
			edit(t, dir, "ledger-000002.jsonl", func(l []string) []string { return append(l[:1], l[2]) })
		},
		want:  ledger.CorruptError{File: "ledger-000002.jsonl", Line: 2, Seq: 6, What: "records between are missing"},
		opens: true,
	},
	{
		name: "inserted",
		tamper: func(t *testing.T, dir string) {
			edit(t, dir, "ledger-000002.jsonl", func(l []string) []string { return []string{l[0], l[1], l[1], l[2]} })
		},
		want:  ledger.CorruptError{File: "ledger-000002.jsonl", Line: 3, Seq: 5, What: "inserted or out of order"},
		opens: true,
	},
	{
		name: "out of order",
		tamper: func(t *testing.T, dir string) {
			edit(t, dir, "ledger-000002.jsonl", func(l []string) []string { return []string{l[0], l[2], l[1]} })
		},
		want:  ledger.CorruptError{File: "ledger-000002.jsonl", Line: 2, Seq: 6, What: "records between are missing"},
		opens: true,
	},
	{
		name: "cut the last record",
		tamper: func(t *testing.T, dir string) {
			edit(t, dir, "ledger-000003.jsonl", func(l []string) []string { return l[:2] })
		},
		want: ledger.CorruptError{File: "ledger-000003.jsonl", Line: 3, Seq: 9, What: "is missing: the ledger ends after record 8"},
	},
	{
		name: "cut the last record in half",
		tamper: func(t *testing.T, dir string) {
			edit(t, dir, "ledger-000003.jsonl", func(l []string) []string { return []string{l[0], l[1], l[2][:20]} })
		},
		want: ledger.CorruptError{File: "ledger-000003.jsonl", Line: 3, Seq: 9, What: "is missing: the ledger ends after record 8"},
	},
	{
		name:   "removed the last file",
		tamper: func(t *testing.T, dir string) { remove(t, dir, "ledger-000003.jsonl") },
		want:   ledger.CorruptError{File: "ledger-000003.jsonl", Line: 3, Seq: 9, What: "is missing: the ledger ends after record 6"},
	},
	{
		name:   "removed a file in the middle",
		tamper: func(t *testing.T, dir string) { remove(t, dir, "ledger-000002.jsonl") },
		want:   ledger.CorruptError{File: "ledger-000002.jsonl", What: "the file is missing"},
		opens:  true,
	},
	{
		name:   "removed the first file",
		tamper: func(t *testing.T, dir string) { remove(t, dir, "ledger-000001.jsonl") },
		want:   ledger.CorruptError{File: "ledger-000001.jsonl", What: "the file is missing"},
		opens:  true,
	},
	{
		name: "cut off the end of a file in the middle",
		tamper: func(t *testing.T, dir string) {
			edit(t, dir, "ledger-000001.jsonl", func(l []string) []string { return []string{l[0], l[1], l[2][:20]} })
		},
		want:  ledger.CorruptError{File: "ledger-000001.jsonl", Line: 3, What: "cut off"},
		opens: true,
	},
	{
		name: "garbage",
		tamper: func(t *testing.T, dir string) {
			edit(t, dir, "ledger-000003.jsonl", func(l []string) []string { return []string{l[0], "\x00\x00\n", l[1], l[2]} })
		},
		want:  ledger.CorruptError{File: "ledger-000003.jsonl", Line: 2, What: "not a record"},
		opens: false, // the last record is not where it was
	},
	{
		name: "another format",
		tamper: func(t *testing.T, dir string) {
			edit(t, dir, "ledger-000001.jsonl", func(l []string) []string { return replace(l, 0, `"format":1`, `"format":2`) })
		},
		want:  ledger.CorruptError{File: "ledger-000001.jsonl", Line: 1, Seq: 1, What: "has format 2, want 1"},
		opens: true,
	},
	{
		name: "a head that is none",
		tamper: func(t *testing.T, dir string) {
			filetest.Write(t, filepath.Join(dir, "ledger.head"), "{}")
		},
		want: ledger.CorruptError{File: "ledger.head", Line: 1, What: "not the head of a ledger"},
	},
}

func replace(lines []string, i int, from, to string) []string {
	lines[i] = strings.Replace(lines[i], from, to, 1)
	return lines
}

func remove(t *testing.T, dir, file string) {
	t.Helper()
	filetest.Remove(t, filepath.Join(dir, file))
}

func matches(bad *ledger.CorruptError, want ledger.CorruptError) bool {
	return bad != nil && bad.File == want.File && bad.Line == want.Line && bad.Seq == want.Seq && strings.Contains(bad.What, want.What)
}

func TestVerify_NamesTheFirstBadRecord(t *testing.T) {
	for _, tt := range tampers {
		t.Run(tt.name, func(t *testing.T) {
			dir := threeFiles(t)
			tt.tamper(t, dir)
			if r := verify(t, dir); !matches(r.Bad, tt.want) {
				t.Errorf("Verify found %+v, want %+v", r.Bad, tt.want)
			}
		})
	}
}

// threeFiles makes a ledger of nine records in three files.
func threeFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, 9, ledger.Options{MaxFile: 2000, Plain: true})
	for _, f := range []string{"ledger-000001.jsonl", "ledger-000002.jsonl", "ledger-000003.jsonl"} {
		data, err := os.ReadFile(filepath.Join(dir, f))
		if n := bytes.Count(data, []byte("\n")); err != nil || n != 3 {
			t.Fatalf("%s has %d lines, want 3 (%v)", f, n, err)
		}
	}
	return dir
}

func TestOpen_RefusesALedgerThatWasTamperedWith(t *testing.T) {
	for _, tt := range tampers {
		t.Run(tt.name, func(t *testing.T) {
			dir := threeFiles(t)
			tt.tamper(t, dir)
			before := contents(t, dir)
			l, err := ledger.Open(dir, ledger.Options{})
			if tt.opens {
				if err != nil {
					t.Fatal(err)
				}
				l.Close()
				return
			}
			if !errors.As(err, new(*ledger.CorruptError)) {
				t.Errorf("Open = %v, want a *CorruptError", err)
			}
			if contents(t, dir) != before {
				t.Error("Open changed the ledger")
			}
		})
	}
}

// contents returns names and contents of all files in dir.
func contents(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, e := range entries {
		data := filetest.Read(t, filepath.Join(dir, e.Name()))
		all.WriteString(e.Name() + "\n" + string(data))
	}
	return all.String()
}

func TestOpen_CutsOffWhatWasNeverFinished(t *testing.T) {
	for name, tail := range map[string]string{
		"half a record":              `{"seq":4,"prev":"00`,
		"zeros, as after power loss": strings.Repeat("\x00", 5000),
		"garbage and more lines":     "\x00\x00\n{\"seq\":5}\n",
		"a line without end":         strings.Repeat("x", 3*ledger.MaxRecord),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, 3, ledger.Options{})
			filetest.Append(t, filepath.Join(dir, "ledger-000001.jsonl"), tail)
			l := open(t, dir, ledger.Options{})
			if got, want := l.Torn(), int64(len(tail)); got != want {
				t.Errorf("Torn = %d, want %d", got, want)
			}
			if err := errors.Join(l.Append(sample(3)), l.Close()); err != nil {
				t.Fatal(err)
			}
			if r := verify(t, dir); r.Bad != nil || r.Records != 4 || r.Torn != 0 {
				t.Errorf("Verify = %+v", r)
			}
		})
	}
}

func TestOpen_RefusesARecordAlteredSinceTheLastSync(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, ledger.Options{Buffer: 1})
	if err := errors.Join(l.Append(sample(0)), l.Sync(), l.Append(sample(1)), l.Append(sample(2))); err != nil {
		t.Fatal(err)
	}
	edit(t, dir, "ledger-000001.jsonl", func(lines []string) []string { return replace(lines, 1, "192.0.2.1", "192.0.2.9") })
	_, err := ledger.Open(dir, ledger.Options{})
	want := ledger.CorruptError{File: "ledger-000001.jsonl", Line: 2, Seq: 2, What: "was altered"}
	if bad, ok := errors.AsType[*ledger.CorruptError](err); !ok || !matches(bad, want) {
		t.Errorf("Open = %v, want %+v", err, want)
	}
}

func TestOpen_ContinuesBehindAnEmptyFile(t *testing.T) {
	dir := threeFiles(t)
	if err := os.WriteFile(filepath.Join(dir, "ledger-000004.jsonl"), nil, 0o644); err != nil { // killed right after beginning it
		t.Fatal(err)
	}
	write(t, dir, 0, ledger.Options{Plain: true})
	write(t, dir, 1, ledger.Options{})
	if r := verify(t, dir); r.Bad != nil || r.Records != 10 || r.Files != 4 {
		t.Errorf("Verify = %+v", r)
	}
}

// Glance sees what Open sees, and other formats wherever they begin.
func TestGlance(t *testing.T) {
	for _, tt := range tampers {
		dir := threeFiles(t)
		if err := ledger.Glance(dir); err != nil {
			t.Fatalf("%s: before: %v", tt.name, err)
		}
		tt.tamper(t, dir)
		err := ledger.Glance(dir)
		var bad *ledger.CorruptError
		switch {
		case err == nil && !tt.opens:
			t.Errorf("%s: saw nothing", tt.name)
		case err != nil && !errors.As(err, &bad):
			t.Errorf("%s: %v is no *CorruptError", tt.name, err)
		case err == nil && strings.Contains(tt.want.What, "format"):
			t.Errorf("%s: the format was not seen", tt.name)
		}
	}
	for name, tail := range map[string]string{"half a record": `{"seq":4,"prev":"00`, "zeros": "\x00\x00\n"} {
		dir := t.TempDir()
		write(t, dir, 3, ledger.Options{})
		filetest.Append(t, filepath.Join(dir, "ledger-000001.jsonl"), tail)
		if err := ledger.Glance(dir); err != nil {
			t.Errorf("%s behind the end: %v", name, err)
		}
	}
	if err := ledger.Glance(filepath.Join(t.TempDir(), "nothing")); err != nil {
		t.Errorf("nothing there: %v", err)
	}
}

// noteOf is the record of what Cut had to give up.
func noteOf(loss ledger.Loss) ledger.Record {
	return ledger.Record{Type: ledger.Run, Event: ledger.EventRepair, Why: loss.Why, Torn: loss.Bytes}
}

// A process that dies before the loss is on record leaves a ledger that is refused, until somebody has told of it.
func TestCut_LossIsNotedWhoeverDies(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"the end is gone": func(dir string) error { return os.Remove(filepath.Join(dir, "ledger-000003.jsonl")) },
		"one record is gone": func(dir string) error {
			name := filepath.Join(dir, "ledger-000003.jsonl")
			data, err := os.ReadFile(name)
			return errors.Join(err, os.WriteFile(name, data[:bytes.LastIndexByte(data[:len(data)-1], '\n')+1], 0o644))
		},
		"the mark is gone, and a record in the middle": func(dir string) error {
			name := filepath.Join(dir, "ledger-000002.jsonl")
			data, err := os.ReadFile(name)
			return errors.Join(err, os.WriteFile(name, data[bytes.IndexByte(data, '\n')+1:], 0o644),
				os.WriteFile(filepath.Join(dir, "ledger.head"), []byte("nothing\n"), 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, before := threeFiles(t), filepath.Join(t.TempDir(), "before")
			if err := damage(dir); err != nil {
				t.Fatal(err)
			}
			mustCut(t, dir, func(loss ledger.Loss) ledger.Record {
				filetest.Copy(t, before, dir)
				return noteOf(loss)
			})
			// The record was in the file already, and the mark does not tell of it yet.
			filetest.Write(t, filepath.Join(dir, "ledger.head"), filetest.Read(t, filepath.Join(before, "ledger.head")))
			for _, dir := range []string{before, dir} {
				if _, err := ledger.Open(dir, ledger.Options{}); !errors.As(err, new(*ledger.CorruptError)) {
					t.Errorf("Open = %v, want a *CorruptError", err)
				}
				noted := false
				mustCut(t, dir, func(loss ledger.Loss) ledger.Record {
					noted = true
					return noteOf(loss)
				})
				if r := verify(t, dir); r.Bad != nil || !noted {
					t.Errorf("after the second Cut: %+v, noted %v", r, noted)
				}
				write(t, dir, 1, ledger.Options{})
			}
		})
	}
}

func mustCut(t *testing.T, dir string, note func(ledger.Loss) ledger.Record) {
	t.Helper()
	if loss, err := ledger.Cut(dir, note); err != nil || loss.Why == "" {
		t.Fatalf("Cut = %+v, %v", loss, err)
	}
}
