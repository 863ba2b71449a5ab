package ledger_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// packAll packs files of the ledger in dir.
func packAll(t *testing.T, dir string, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		if err := ledger.Pack(t.Context(), dir, n); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

// linesOf returns all lines that follow a record.
func linesOf(t *testing.T, dir string, after uint64) (all []string) {
	t.Helper()
	for l, err := range ledger.Lines(dir, after) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(l))
	}
	return all
}

// A packed ledger reads as it did before, from wherever one begins.
func TestPacked_ReadsAsBefore(t *testing.T) {
	dir := threeFiles(t)
	records, report := readAll(t, dir), verify(t, dir)
	plain := map[uint64][]string{}
	for after := range uint64(10) {
		plain[after] = linesOf(t, dir, after)
	}
	tails := map[int64]int{}
	for size := int64(1); size < 8000; size += 97 {
		tails[size] = countTail(t, dir, size)
	}
	packAll(t, dir, 1, 2)
	names, err := filepath.Glob(filepath.Join(dir, "ledger-*"))
	for i, n := range names {
		names[i] = filepath.Base(n)
	}
	if want := []string{"ledger-000001.jsonl.zst", "ledger-000002.jsonl.zst", "ledger-000003.jsonl"}; err != nil || !slices.Equal(names, want) {
		t.Fatalf("files are %q, want %q", names, want)
	}
	if diff := cmp.Diff(records, readAll(t, dir)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(report, verify(t, dir)); diff != "" {
		t.Error(diff)
	}
	for after, want := range plain {
		if got := linesOf(t, dir, after); !slices.Equal(got, want) {
			t.Errorf("%d lines follow record %d, want %d", len(got), after, len(want))
		}
	}
	if err := ledger.Glance(dir); err != nil {
		t.Errorf("Glance: %v", err)
	}
	for size, want := range tails {
		if got := countTail(t, dir, size); got != want {
			t.Errorf("the last %d bytes, and the file that they begin in, have %d records, want %d", size, got, want)
		}
	}
	write(t, dir, 1, ledger.Options{})
	if r := verify(t, dir); r.Bad != nil || r.Records != 10 {
		t.Errorf("continued: %+v", r)
	}
}

// countTail returns how many records are read of the end of a ledger.
func countTail(t *testing.T, dir string, size int64) (n int) {
	t.Helper()
	for _, err := range ledger.Read(dir, ledger.ReadOptions{Tail: size}) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// What was altered is found in packed files as in plain ones.
func TestPacked_NamesTheFirstBadRecord(t *testing.T) {
	for _, tt := range tampers {
		dir := threeFiles(t)
		tt.tamper(t, dir)
		packAll(t, dir, 1, 2)
		if r := verify(t, dir); !matches(r.Bad, tt.want) {
			t.Errorf("%s: Verify found %+v, want %+v", tt.name, r.Bad, tt.want)
		}
	}
}

// The tool that everybody has unpacks it, and knows how long the text is.
func TestPacked_IsReadByOthers(t *testing.T) {
	zstd, err := exec.LookPath("zstd")
	if err != nil {
		t.Skip("zstd is not installed")
	}
	dir := threeFiles(t)
	want := filetest.Read(t, filepath.Join(dir, "ledger-000001.jsonl"))
	packAll(t, dir, 1)
	got, err := exec.Command(zstd, "-dc", filepath.Join(dir, "ledger-000001.jsonl.zst")).Output()
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("zstd -dc: %v, %d bytes, want %d", err, len(got), len(want))
	}
	if list, err := exec.Command(zstd, "-lv", filepath.Join(dir, "ledger-000001.jsonl.zst")).CombinedOutput(); err != nil ||
		!strings.Contains(string(list), fmt.Sprintf("(%d B)", len(want))) {
		t.Errorf("zstd -lv does not say %d: %v\n%s", len(want), err, list)
	}
}

// Of a file that is there plain and packed, as a kill may leave it, the plain one counts. If the other has another text, that is
// told.
func TestPacked_TwoStories(t *testing.T) {
	dir, other := threeFiles(t), threeFiles(t)
	packAll(t, other, 2)
	name := "ledger-000001.jsonl.zst"
	data := filetest.Read(t, filepath.Join(other, "ledger-000002.jsonl.zst"))
	same := filepath.Join(t.TempDir(), "same")
	filetest.Copy(t, same, dir)
	packAll(t, same, 1)
	plain := filetest.Read(t, filepath.Join(dir, "ledger-000001.jsonl"))
	filetest.Write(t, filepath.Join(same, "ledger-000001.jsonl"), plain)
	if r := verify(t, same); r.Bad != nil {
		t.Errorf("the same text twice: %v", r.Bad)
	}
	filetest.Write(t, filepath.Join(dir, name), data)
	if r := verify(t, dir); r.Bad == nil || r.Bad.File != name {
		t.Errorf("another text beside it: %+v", r)
	}
}

// A packed file that is damaged anywhere is an error that names it, and what lies in the others is read all the same; Cut makes a
// ledger that can be continued, and keeps what it took away.
func TestPacked_Damage(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	intact := threeFiles(t)
	packAll(t, intact, 1, 2)
	name := "ledger-000002.jsonl.zst"
	data := filetest.Read(t, filepath.Join(intact, name))
	damages := map[string][]byte{"emptied": {}, "another": []byte("no zstd at all"), "head only": data[:6]}
	for at := 0; at < len(data); at += 1 + len(data)/40 {
		flipped := bytes.Clone(data)
		flipped[at] ^= 0x55
		damages[fmt.Sprintf("flipped at %d", at)], damages[fmt.Sprintf("cut at %d", at)] = flipped, data[:at]
	}
	for what, damaged := range damages {
		dir := t.TempDir()
		filetest.Copy(t, dir, intact)
		filetest.Write(t, filepath.Join(dir, name), damaged)
		r := verify(t, dir)
		if r.Bad == nil && what != "flipped at 0" && !bytes.Equal(damaged, data) && r.Head != verify(t, intact).Head {
			t.Errorf("%s: nothing is wrong: %+v", what, r)
		}
		if r.Bad == nil {
			continue // a byte of the header that changes nothing
		}
		var seqs []uint64
		for rec, err := range ledger.Read(dir, ledger.ReadOptions{}) {
			if err != nil && !errors.As(err, new(*ledger.CorruptError)) {
				t.Fatalf("%s: Read: %v", what, err)
			}
			seqs = append(seqs, rec.Seq)
		}
		if len(seqs) < 6 || seqs[len(seqs)-1] != 9 {
			t.Errorf("%s: records %d were read", what, seqs)
		}
		if _, err := ledger.Cut(dir, noteOf); err != nil {
			t.Errorf("%s: Cut: %v", what, err)
		}
		l, err := ledger.Open(dir, ledger.Options{})
		if err != nil {
			t.Errorf("%s: after Cut: %v", what, err)
			continue
		}
		if err := errors.Join(l.Append(sample(0)), l.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// A ledger that must be cut within a packed file, or behind one, goes on from there.
func TestPacked_Cut(t *testing.T) {
	for name, tt := range map[string]struct {
		damage func(dir string) error
		want   uint64 // records that are left
	}{
		"the last file is gone": {func(dir string) error { return os.Remove(filepath.Join(dir, "ledger-000003.jsonl")) }, 6},
		"the first record of the last file": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "ledger-000003.jsonl"), []byte("nothing\n"), 0o644)
		}, 6},
		"within the second file": {func(dir string) error {
			name := filepath.Join(dir, "ledger-000002.jsonl.zst")
			data, err := os.ReadFile(name)
			return errors.Join(err, os.WriteFile(name, data[:len(data)-8], 0o644), os.Remove(filepath.Join(dir, "ledger-000003.jsonl")))
		}, 3},
	} {
		dir := threeFiles(t)
		packAll(t, dir, 1, 2)
		if err := tt.damage(dir); err != nil {
			t.Fatal(err)
		}
		if loss, err := ledger.Cut(dir, noteOf); err != nil || loss.Why == "" {
			t.Errorf("%s: Cut = %+v, %v", name, loss, err)
		}
		before := verify(t, dir)
		if before.Bad != nil || before.Records < tt.want+1 {
			t.Errorf("%s: after Cut: %+v, want at least %d records and the note", name, before, tt.want)
		}
		write(t, dir, 2, ledger.Options{})
		if r := verify(t, dir); r.Bad != nil || r.Records != before.Records+2 {
			t.Errorf("%s: continued: %+v", name, r)
		}
	}
}

// Whatever a process that packs has left when it is killed, nothing is lost, and the next one packs again.
func TestPacked_SurvivesKill(t *testing.T) {
	intact := threeFiles(t)
	report := verify(t, intact)
	packed := t.TempDir()
	filetest.Copy(t, packed, intact)
	packAll(t, packed, 1)
	whole := filetest.Read(t, filepath.Join(packed, "ledger-000001.jsonl.zst"))
	for name, content := range map[string][]byte{
		"ledger-000001.jsonl.zst" + ledger.Unfinished: whole[:len(whole)/2],
		"ledger-000001.jsonl.zst":                     whole,
		"ledger-000001.jsonl" + ledger.Unfinished:     []byte("half of it"),
	} {
		dir := t.TempDir()
		if err := errors.Join(os.CopyFS(dir, os.DirFS(intact)), os.WriteFile(filepath.Join(dir, name), content, 0o644)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(report, verify(t, dir)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		write(t, dir, 0, ledger.Options{})
		for i, want := range []string{"ledger-000001.jsonl.zst", "ledger-000002.jsonl.zst", "ledger-000003.jsonl"} {
			if files, err := ledger.Files(dir); err != nil || len(files) != 3 || files[i].Name != want {
				t.Errorf("%s: file %d is %+v, %v, want %s", name, i, files, err, want)
			}
		}
		if diff := cmp.Diff(report, verify(t, dir)); diff != "" {
			t.Errorf("%s, packed again: %s", name, diff)
		}
	}
}

// Whoever reads while a process appends and packs sees a sound ledger at all times.
func TestPacked_ReadWhileItIsPacked(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir, ledger.Options{MaxFile: 20_000, Buffer: 1})
	last, records := uint64(0), 3000
	if testing.Short() {
		records = 1000
	}
	for i := range records {
		mustAppend(t, l, sample(i))
		if i%20 == 0 {
			if err := l.Sync(); err != nil {
				t.Fatal(err)
			}
		}
		if i%50 != 0 {
			continue
		}
		r := verify(t, dir)
		if r.Bad != nil || r.Records < last {
			t.Fatalf("after %d records: %+v, %v", i, r, r.Bad)
		}
		last = r.Records
	}
	filetest.Close(t, l)
	if packed, _ := filepath.Glob(filepath.Join(dir, "*.zst")); len(packed) == 0 {
		t.Error("nothing was packed")
	}
}
