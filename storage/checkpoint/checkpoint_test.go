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
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func newKey(t *testing.T) *checkpoint.Key {
	t.Helper()
	secret, err := checkpoint.GenerateKey("crawler.example")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(name, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
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
	if problems, err := checkpoint.Check(dir, kept); err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
	other := t.TempDir()
	grow(t, other, 0, 5)
	grow(t, other, 6, 50)
	problems, err := checkpoint.Check(other, kept)
	if err != nil || len(problems) != 4 || !strings.Contains(problems[0].What, "records 1 to 10 were rewritten") {
		t.Errorf("%v %v", problems, err)
	}
	short := t.TempDir()
	grow(t, short, 0, 5)
	if problems, err := checkpoint.Check(short, kept[:1]); err != nil || len(problems) != 1 || !strings.Contains(problems[0].What, "now it has 5") {
		t.Errorf("%v %v", problems, err)
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
