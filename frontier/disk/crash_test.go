package disk_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// The books of a crawl that is killed: what the frontier has acknowledged.
type books struct {
	mu      sync.Mutex
	added   map[string]bool
	settled map[string]frontier.Status // the last one acknowledged
	wrong   []string
}

func newBooks() *books {
	return &books{added: make(map[string]bool), settled: make(map[string]frontier.Status)}
}

// Letters of the lines that a crawl writes.
const (
	noteAdded   = "added"
	noteTaken   = "taken"
	noteSettled = "settled"
)

func (b *books) note(kind, raw string, status frontier.Status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch kind {
	case noteAdded:
		b.added[raw] = true
	case noteTaken:
		if s := b.settled[raw]; s > frontier.Retrying {
			b.wrong = append(b.wrong, fmt.Sprintf("%s was handed out although settled as %d", raw, s))
		}
	case noteSettled:
		b.settled[raw] = status
	}
}

// copy returns what is in the books now.
func (b *books) copy() *books {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := newBooks()
	for raw := range b.added {
		c.added[raw] = true
	}
	maps.Copy(c.settled, b.settled)
	return c
}

// balance compares the books with the frontier.
func (b *books) balance(t *testing.T, f *disk.Frontier) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.wrong {
		t.Error(w)
	}
	for raw := range b.added {
		info, err := f.Lookup(t.Context(), frontiertest.URL(t, raw))
		if err != nil || info.Status == frontier.Unknown {
			t.Errorf("%s was acknowledged, and is lost (%v)", raw, err)
		}
	}
	for raw, want := range b.settled {
		info, err := f.Lookup(t.Context(), frontiertest.URL(t, raw))
		if err != nil || info.Status < want || want > frontier.Retrying && info.Status != want {
			t.Errorf("%s was settled as %d, and is %d now (%v)", raw, want, info.Status, err)
		}
	}
	mustBeSound(t, f)
}

// crawl makes up a web and crawls it from many goroutines until ctx ends or the frontier fails, and notes what is
// acknowledged.
func crawl(ctx context.Context, f frontier.Frontier, seed uint64, note func(kind, raw string, s frontier.Status)) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for w := range 8 {
		rng := rand.New(rand.NewPCG(seed, uint64(w)))
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				if err := turn(ctx, f, rng, note); err != nil {
					return
				}
			}
		})
	}
}

// turn adds some links, or leases a site and settles some of its entries.
func turn(ctx context.Context, f frontier.Frontier, rng *rand.Rand, note func(kind, raw string, s frontier.Status)) error {
	if rng.IntN(3) == 0 {
		ls := randomLinks(rng)
		if _, err := f.Add(ctx, ls); err != nil {
			return err
		}
		noteLinks(ls, note)
		return nil
	}
	l, err := f.Lease(ctx, 0)
	if errors.Is(err, frontier.ErrIdle) || errors.Is(err, frontier.ErrWaiting) {
		return nil
	}
	if err != nil {
		return err
	}
	defer l.Close()
	for range rng.IntN(5) {
		e, ok, err := l.Next(ctx)
		if err != nil || !ok {
			return err
		}
		note(noteTaken, e.URL.String(), 0)
		o := frontier.Outcome{Entry: e, Status: frontier.Status(2 + rng.IntN(4)), Links: randomLinks(rng), Page: true, Bytes: 10}
		if rng.IntN(5) == 0 {
			continue // and leave it
		}
		if _, err := l.Settle(ctx, o); err != nil {
			return err
		}
		note(noteSettled, e.URL.String(), o.Status)
		noteLinks(o.Links, note)
	}
	return nil
}

func randomLinks(rng *rand.Rand) (ls []frontier.Link) {
	for range rng.IntN(12) {
		raw := fmt.Sprintf("http://site-%d.test/page/%d", rng.IntN(20), rng.IntN(5000))
		u, err := frontier.ParseURL(raw)
		if err != nil {
			panic(err)
		}
		ls = append(ls, frontier.Link{URL: u, Depth: rng.IntN(4), Priority: int8(rng.IntN(3) - 1)})
	}
	return ls
}

func noteLinks(ls []frontier.Link, note func(kind, raw string, s frontier.Status)) {
	for i := range ls {
		note(noteAdded, ls[i].URL.String(), 0)
	}
}

// victimDir is the environment variable that turns the test binary into a crawl which waits to be killed.
const victimDir = "FRONTIER_VICTIM"

// victim crawls in dir and writes what is acknowledged to standard output, a line each, until it is killed.
func victim(dir string) {
	f, err := disk.Open(dir, disk.Options{Memory: 1})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	go func() { // die with the parent
		io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	crawl(context.Background(), f, uint64(time.Now().UnixNano()), func(kind, raw string, s frontier.Status) {
		os.Stdout.WriteString(fmt.Sprintf("%s %s %d\n", kind, raw, s))
	})
	os.Exit(1)
}

// Promise 3: after kill -9 at any moment no URL is lost, none is stuck, and what was acknowledged holds.
func TestKill(t *testing.T) {
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	dir := t.TempDir()
	b := newBooks()
	for round := range rounds {
		killOne(t, dir, b, time.Duration(10+rand.IntN(250))*time.Millisecond)
		f := open(t, dir, disk.Options{})
		b.balance(t, f)
		if round%3 == 2 { // sometimes go on after an orderly end
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			crawl(ctx, f, uint64(round), b.note)
			cancel()
		}
		if err := f.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	if len(b.settled) == 0 {
		t.Error("nothing was settled")
	}
}

// killOne starts a crawl in dir, and kills it some time after it has begun to work.
func killOne(t *testing.T, dir string, b *books, life time.Duration) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimDir+"="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var timer *time.Timer
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if timer == nil {
			timer = time.AfterFunc(life, func() { cmd.Process.Kill() })
			defer timer.Stop()
		}
		var kind, raw string
		var status frontier.Status
		if _, err := fmt.Sscan(lines.Text(), &kind, &raw, &status); err != nil || !strings.HasPrefix(raw, "http") {
			t.Errorf("line %q: %v", lines.Text(), err)
			continue
		}
		b.note(kind, raw, status)
	}
	cmd.Wait()
}

// Promise 4: after power loss, when of what was not synced any part may be there, the same holds.
func TestPowerLoss(t *testing.T) {
	rounds := 10
	if testing.Short() {
		rounds = 3
	}
	fs, b := vfs.NewCrashableMem(), newBooks()
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range rounds {
		f := open(t, "f", disk.Options{FS: fs, Memory: 1})
		b.balance(t, f)
		fs, b = lose(t, f, fs, b, rng)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
}

// lose crawls for a while, and returns what the disk and the books were at a moment within.
func lose(t *testing.T, f *disk.Frontier, fs *vfs.MemFS, b *books, rng *rand.Rand) (*vfs.MemFS, *books) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	moment := make(chan struct{})
	count := 200 + rng.IntN(3000)
	wg.Go(func() {
		crawl(ctx, f, rng.Uint64(), func(kind, raw string, s frontier.Status) {
			b.note(kind, raw, s)
			b.mu.Lock()
			defer b.mu.Unlock()
			if count--; count == 0 {
				close(moment)
			}
		})
		f.Close()
	})
	<-moment
	then := b.copy()
	return fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng}), then
}
