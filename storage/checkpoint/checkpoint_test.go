package checkpoint_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// The root of a tree of any size is that of the transparency log of Go's module checksums, which is the judge here.
func TestTree_AgreesWithTlog(t *testing.T) {
	var tree checkpoint.Tree
	var hashes []tlog.Hash
	reader := tlog.HashReaderFunc(func(at []int64) (list []tlog.Hash, err error) {
		for _, i := range at {
			list = append(list, hashes[i])
		}
		return list, nil
	})
	for n := range int64(70_000) {
		line := fmt.Appendf(nil, "line %d", n)
		more, err := tlog.StoredHashes(n, line, reader)
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, more...)
		if err := tree.Add(line); err != nil {
			t.Fatal(err)
		}
		if n > 600 && n%4099 != 0 && n+1 != 65536 {
			continue
		}
		want, err := tlog.TreeHash(n+1, reader)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(&tree)
		if err != nil {
			t.Fatal(err)
		}
		var again checkpoint.Tree
		if err := json.Unmarshal(data, &again); err != nil {
			t.Fatal(err)
		}
		if got := again.Root(); got != want || tree.Root() != want || again.Size() != n+1 {
			t.Fatalf("root of %d lines: %v, want %v", n+1, got, want)
		}
	}
	if got := new(checkpoint.Tree).Root(); got != sha256.Sum256(nil) {
		t.Errorf("root of nothing: %v", got)
	}
}

func grow(t *testing.T, dir string, from, to int) {
	t.Helper()
	l, err := ledger.Open(dir, ledger.Options{MaxFile: 2000})
	if err != nil {
		t.Fatal(err)
	}
	for i := from; i < to; i++ {
		if err := l.Append(ledger.Record{Type: ledger.Refusal, URL: fmt.Sprint("http://a.example/", i)}); err != nil {
			t.Fatal(err)
		}
	}
	filetest.Close(t, l)
}

func newKey(t *testing.T) *checkpoint.Key {
	t.Helper()
	secret, err := checkpoint.GenerateKey("crawler.example")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "key")
	filetest.Write(t, name, secret)
	k, err := checkpoint.ReadKey(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// A ledger that grows, also in another process, continues all its checkpoints; one that was rewritten with a chain of its own does
// not.
func TestLog_CheckpointsOfALedgerThatGrows(t *testing.T) {
	dir, key := t.TempDir(), newKey(t)
	for n := range 4 {
		grow(t, dir, n*10, n*10+10)
		if n == 2 {
			if err := os.Remove(filepath.Join(dir, "tree.json")); err != nil { // is made anew
				t.Fatal(err)
			}
		}
		if _, err := checkpoint.OpenLog(dir, key).Sign(); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := checkpoint.Read(dir)
	if err != nil || len(kept) != 4 || kept[3].Size != 40 {
		t.Fatalf("%d checkpoints, %v", len(kept), err)
	}
	for _, c := range kept {
		if err := c.Verify(key.Verifier); err != nil {
			t.Error(err)
		}
		if c.Verify(newKey(t).Verifier) == nil {
			t.Error("another key signed it as well")
		}
	}
	if n := continued(t, dir, kept); n != 4 {
		t.Errorf("continues %d of its checkpoints", n)
	}
	other := t.TempDir()
	grow(t, other, 0, 5)
	grow(t, other, 6, 50)
	if n := continued(t, other, kept); n != 0 {
		t.Errorf("another ledger continues %d checkpoints", n)
	}
}

// continued returns how many checkpoints a ledger continues.
func continued(t *testing.T, dir string, kept []checkpoint.Checkpoint) (n int) {
	t.Helper()
	for _, c := range kept {
		var tree checkpoint.Tree
		if err := tree.Follow(dir, c.Size); err != nil {
			t.Fatal(err)
		}
		if tree.Size() == c.Size && tree.Root() == c.Root {
			n++
		}
	}
	return n
}

// A ledger that was cut and goes on has other records: what was remembered of it is no part of what is signed and published then.
func TestLog_LedgerThatWasCut(t *testing.T) {
	dir, out, key := t.TempDir(), t.TempDir(), newKey(t)
	sign := func() checkpoint.Checkpoint {
		t.Helper()
		c, err := checkpoint.OpenLog(dir, key).Sign()
		if err == nil {
			err = checkpoint.Publish(dir, out, c)
		}
		if err != nil {
			t.Fatal(err)
		}
		if continued(t, dir, []checkpoint.Checkpoint{c}) != 1 {
			t.Errorf("%s was signed, which the ledger does not continue", c.Short())
		}
		if wrong, err := checkpoint.CheckPublished(dir, out); err != nil || len(wrong) > 0 {
			t.Errorf("what was published is wrong: %q, %v", wrong, err)
		}
		return c
	}
	files := func(dir string) []string {
		names, err := filepath.Glob(filepath.Join(dir, "ledger*"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	grow(t, dir, 0, 250)
	older := t.TempDir()
	filetest.Copy(t, filepath.Join(older, "then"), dir)
	grow(t, dir, 250, 300)
	sign()
	for _, size := range []int{270, 299, 330} { // shorter than it was, and longer
		for _, name := range files(dir) {
			filetest.Remove(t, name)
		}
		for _, name := range files(filepath.Join(older, "then")) {
			data, err := os.ReadFile(name)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		grow(t, dir, 1000, 1000+size-250)
		if c := sign(); c.Size != int64(size) {
			t.Errorf("signed %d records, want %d", c.Size, size)
		}
	}
}

// What is remembered between runs, and what was published, may be damaged: nothing wrong is signed then, and it is named.
func TestLog_RemembersWhatWasDamaged(t *testing.T) {
	dir, out, key := t.TempDir(), t.TempDir(), newKey(t)
	grow(t, dir, 0, 300)
	sign := func() checkpoint.Checkpoint {
		t.Helper()
		c, err := checkpoint.OpenLog(dir, key).Sign()
		if err == nil {
			err = checkpoint.Publish(dir, out, c)
		}
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	sign()
	for _, name := range []string{"tree.json", "published.json"} {
		name = filepath.Join(dir, name)
		var tree map[string]any
		if err := json.Unmarshal(filetest.Read(t, name), &tree); err != nil {
			t.Fatal(err)
		}
		row := tree["rows"].([]any)[0].([]any)
		row[0], row[1] = row[1], row[0]
		data, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		filetest.Write(t, name, data)
	}
	grow(t, dir, 300, 310)
	if c := sign(); continued(t, dir, []checkpoint.Checkpoint{c}) != 1 {
		t.Error("a checkpoint was signed that the ledger does not continue")
	}
	if wrong, err := checkpoint.CheckPublished(dir, out); err != nil || len(wrong) > 0 {
		t.Errorf("what was published is wrong: %q, %v", wrong, err)
	}
	for name, harm := range map[string]func(data []byte) []byte{
		"tile/0/000":      func(b []byte) []byte { b[7] ^= 1; return b },
		"tile/0/001.p/54": func(b []byte) []byte { return b[:len(b)-32] },
		"tile/1/000.p/1":  func([]byte) []byte { return nil },
		"checkpoint":      func(b []byte) []byte { return []byte(strings.Replace(string(b), "310", "309", 1)) },
	} {
		file := filepath.Join(out, name)
		whole := filetest.Read(t, file)
		filetest.Write(t, file, harm(append([]byte{}, whole...)))
		wrong, err := checkpoint.CheckPublished(dir, out)
		if err != nil || len(wrong) == 0 || !strings.Contains(wrong[len(wrong)-1], filepath.FromSlash(name)) && name != "checkpoint" {
			t.Errorf("%s altered: %q, %v", name, wrong, err)
		}
		filetest.Write(t, file, whole)
	}
	if wrong, err := checkpoint.CheckPublished(dir, t.TempDir()); err != nil || len(wrong) != 1 {
		t.Errorf("what was published is gone: %q, %v", wrong, err)
	}
	filetest.Remove(t, filepath.Join(dir, "published.json"))
	if wrong, err := checkpoint.CheckPublished(dir, t.TempDir()); err != nil || len(wrong) > 0 {
		t.Errorf("nothing was published so far: %q, %v", wrong, err)
	}
}

// What is signed is a note as others read it (C2SP tlog-checkpoint).
func TestCheckpoint_IsANote(t *testing.T) {
	dir, key := t.TempDir(), newKey(t)
	grow(t, dir, 0, 3)
	c, err := checkpoint.OpenLog(dir, key).Sign()
	if err != nil {
		t.Fatal(err)
	}
	v, err := note.NewVerifier(key.Verifier)
	if err != nil {
		t.Fatal(err)
	}
	n, err := note.Open(c.Note, note.VerifierList(v))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(n.Text, "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "crawler.example/") || lines[1] != "3" || lines[2] != c.Root.String() {
		t.Errorf("note %q", n.Text)
	}
	c.Size = 4
	if c.Verify(key.Verifier) == nil {
		t.Error("a checkpoint of another size has the same signature")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("a\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n— a AAAA\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := checkpoint.Parse(data)
		for _, c := range all {
			if err == nil && c.Size < 0 {
				t.Errorf("size %d", c.Size)
			}
		}
	})
}
