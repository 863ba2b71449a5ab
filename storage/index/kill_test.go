package index_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/index"
	"github.com/cybermapper/cybermapper/storage/sqlfile"
)

const writerEnv = "INDEX_TEST_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerEnv); path != "" {
		writeForEver(path)
	}
	os.Exit(m.Run())
}

// writeForEver makes one change after the other, and says after each that it is done.
func writeForEver(path string) {
	x, err := index.Open(path, index.Options{})
	if err != nil {
		panic(err)
	}
	mark, err := x.Mark(context.Background(), "n")
	if err != nil {
		panic(err)
	}
	n, _ := strconv.Atoi(mark)
	for ; ; n++ {
		c := index.Change{Marks: map[string]string{"n": strconv.Itoa(n + 1)}}
		for i := range 8 {
			c.Documents = append(c.Documents, document(fmt.Sprintf("/%d/%d", n, i), "en", "Page",
				fmt.Sprintf("a fox of change c%dx", n)))
		}
		if err := x.Apply(context.Background(), c); err != nil {
			panic(err)
		}
		fmt.Println(n + 1)
	}
}

// Ensure that what Apply has returned for survives kill -9, whole and with its marks.
func TestApply_Kill(t *testing.T) {
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	path := filepath.Join(t.TempDir(), "index.db")
	for range rounds {
		acknowledged := killWriter(t, path)
		x, err := index.Open(path, index.Options{})
		if err != nil {
			t.Fatal(err)
		}
		mark, err := x.Mark(t.Context(), "n")
		if err != nil {
			t.Fatal(err)
		}
		n, _ := strconv.Atoi(mark)
		if n < acknowledged {
			t.Errorf("%d changes, %d were acknowledged", n, acknowledged)
		}
		r, err := x.Search(t.Context(), index.Query{Text: "fox"})
		if err != nil || r.Total != 8*n {
			t.Errorf("%d pages after %d changes: %v", r.Total, n, err)
		}
		if err := x.Check(t.Context()); err != nil {
			t.Error(err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A file without tables, as one leaves that was killed before it had made them, is none to read: nothing is wrong with it.
func TestOpen_KilledBeforeTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	db, err := sqlfile.Open(path, 1, "_pragma=auto_vacuum(2)", "_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Fatalf("the file: %v, %v; want one with something in it", info, err)
	}
	if _, err := index.Open(path, index.Options{ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, index.ErrDamaged) {
		t.Errorf("to read: %v, want fs.ErrNotExist", err)
	}
	filetest.Close(t, db)
	x, err := index.Open(path, index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

// killWriter lets a process write for a moment and kills it. It returns the last change that was acknowledged.
func killWriter(t *testing.T, path string) (acknowledged int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	kill := time.Duration(rand.IntN(100)) * time.Millisecond
	for lines.Scan() {
		if acknowledged == 0 {
			time.AfterFunc(kill, func() { cmd.Process.Kill() })
		}
		acknowledged, _ = strconv.Atoi(strings.TrimSpace(lines.Text()))
	}
	cmd.Wait()
	return acknowledged
}
