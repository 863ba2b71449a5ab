package engine

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// endsAfter is a context that is done once it was asked so many times.
type endsAfter struct {
	context.Context
	left int
}

func (c *endsAfter) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// A crawl that is told to end while it writes down a long list of opt-outs ends, and the next one writes down the whole list.
func TestOptOutKeeper_Ends(t *testing.T) {
	const entries, written = 1000, 20
	dir := t.TempDir()
	var list strings.Builder
	for i := range entries {
		fmt.Fprintf(&list, "host%d.example\n", i)
	}
	c := config.Default()
	c.OptOut = filepath.Join(dir, "opt-outs")
	filetest.Write(t, c.OptOut, list.String())
	begin := func(ctx context.Context) error {
		t.Helper()
		o, err := openOptOuts(c, filepath.Join(dir, job.OptOutFile))
		if err != nil {
			t.Fatal(err)
		}
		l, err := ledger.Open(filepath.Join(dir, job.LedgerDir), ledger.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer filetest.Close(t, l)
		return (&optOutKeeper{optOuts: o, ledger: l, out: io.Discard}).begin(ctx)
	}
	told := func() (entries int) {
		o := ledger.ReadOptions{Types: []ledger.Type{ledger.Run}}
		for _, err := range ledger.Read(filepath.Join(dir, job.LedgerDir), o) {
			if err != nil {
				t.Fatal(err)
			}
			entries++
		}
		return entries
	}
	if err := begin(&endsAfter{t.Context(), written}); !cli.IsInterrupt(err) {
		t.Errorf("begin, told to end: %v", err)
	}
	if n := told(); n != written {
		t.Errorf("the ledger tells of %d opt-outs after it was to end, want %d", n, written)
	}
	if err := begin(t.Context()); err != nil {
		t.Error(err)
	}
	if n := told(); n != entries {
		t.Errorf("the ledger tells of %d opt-outs, want each once: %d", n, entries)
	}
}
