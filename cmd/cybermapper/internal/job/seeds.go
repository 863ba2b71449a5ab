package job

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/pipe"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/seed"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/storage/durable"
)

// A list of seeds that memory does not hold is copied into the job as it is, and read from there while the crawl runs. When all
// of it has been taken in it goes to the other seeds, and its digest into a file: given again, it is known.
const (
	SeedsDir  = "seeds"
	listsFile = SeedsDir + "/taken.sha256"
	listEnd   = ".incoming" // behind the digest of a list that is being taken in
)

// rewriteSize is the size up to which the file of seeds is replaced as a whole when one is added.
const rewriteSize = 1 << 20

// AddSeeds appends those of seeds to the job that it does not have, durably.
func (j *Job) AddSeeds(seeds []seed.Seed) error {
	j.seeding.Lock()
	defer j.seeding.Unlock()
	missing := make(map[string]struct{}, len(seeds))
	for _, s := range seeds {
		missing[s.URL.String()] = struct{}{}
	}
	for s, err := range EachSeed(j.dir) {
		if err != nil {
			return err
		}
		if delete(missing, s.URL.String()); len(missing) == 0 {
			break
		}
	}
	var text bytes.Buffer
	for _, s := range seeds {
		if _, ok := missing[s.URL.String()]; ok {
			delete(missing, s.URL.String())
			fmt.Fprintln(&text, s)
		}
	}
	if text.Len() == 0 {
		return nil
	}
	return j.appendSeedsLocked(text.Bytes())
}

// AddSeed appends a seed to the job, durably. Where there are very many nobody looks whether it is among them: it does no harm.
func (j *Job) AddSeed(s seed.Seed) error {
	if !j.hasManySeeds() {
		return j.AddSeeds([]seed.Seed{s})
	}
	j.seeding.Lock()
	defer j.seeding.Unlock()
	return j.appendSeedsLocked([]byte(s.String() + "\n"))
}

func (j *Job) hasManySeeds() bool {
	info, err := os.Stat(j.Path(SeedsFile))
	return err == nil && info.Size() > rewriteSize
}

func (j *Job) appendSeedsLocked(lines []byte) error {
	name := j.Path(SeedsFile)
	if j.hasManySeeds() {
		if err := AppendLines(name, lines); err != nil {
			return fmt.Errorf("add seeds: %w", err)
		}
		return nil
	}
	before, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read seeds of the job: %w", err)
	}
	if len(before) > 0 && before[len(before)-1] != '\n' {
		before = append(before, '\n')
	}
	return WriteFile(name, append(before, lines...))
}

// Seeds returns the seeds of the job in dir; none when there is no job.
func Seeds(dir string) (seeds []seed.Seed, err error) {
	for s, err := range EachSeed(dir) {
		if err != nil {
			return nil, err
		}
		seeds = append(seeds, s)
	}
	return seeds, nil
}

// EachSeed yields the seeds of the job in dir one after the other. The first error ends it.
func EachSeed(dir string) iter.Seq2[seed.Seed, error] {
	return func(yield func(seed.Seed, error) bool) {
		f, err := os.Open(filepath.Join(dir, SeedsFile))
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(seed.Seed{}, fmt.Errorf("read seeds of the job: %w", err))
			return
		}
		defer f.Close()
		for s, err := range seed.Scan(f, f.Name(), frontier.ParseURL) {
			if err != nil {
				yield(seed.Seed{}, fmt.Errorf("read seeds of the job: %w", err))
				return
			}
			if !yield(s, nil) {
				return
			}
		}
	}
}

// Spool copies a list of seeds into the job, unless it has taken that one in before.
func (j *Job) Spool(ctx context.Context, list io.Reader) error {
	if err := MakeDir(j.Path(SeedsDir)); err != nil {
		return fmt.Errorf("copy the seeds: %w", err)
	}
	f, err := CreateTemp(j.Path(SeedsDir), "")
	if err != nil {
		return fmt.Errorf("copy the seeds: %w", err)
	}
	defer os.Remove(f.Name())
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, sum), pipe.Until(ctx, list))
	digest := hex.EncodeToString(sum.Sum(nil))
	known := false
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		known, err = j.hasTaken(digest)
	}
	if err == nil && !known {
		if err = os.Rename(f.Name(), filepath.Join(j.Path(SeedsDir), digest+listEnd)); err == nil {
			err = durable.SyncDir(j.Path(SeedsDir))
		}
	}
	if err != nil {
		return fmt.Errorf("copy the seeds: %w", err)
	}
	return nil
}

func (j *Job) hasTaken(digest string) (bool, error) {
	text, err := ReadFile(j.Path(listsFile), maxList)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return bytes.Contains(text, []byte(digest)), err
}

// Incoming returns the names of the lists that are to be taken in.
func (j *Job) Incoming() ([]string, error) {
	return filepath.Glob(filepath.Join(j.Path(SeedsDir), "*"+listEnd))
}

// EachIncoming yields the seeds of a list that is to be taken in, and a line that is none as a *seed.Bad; parse reads a URL. After
// the last one, if all were asked for, they are seeds of the job.
func (j *Job) EachIncoming(name string, parse func(string) (frontier.URL, error)) iter.Seq2[seed.Seed, error] {
	return func(yield func(seed.Seed, error) bool) {
		if err := j.eachIncoming(name, parse, yield); err != nil && !errors.Is(err, errStopped) {
			yield(seed.Seed{}, fmt.Errorf("take in seeds: %w", err))
		}
	}
}

// errStopped says that whoever takes in seeds has seen enough.
var errStopped = errors.New("stopped")

func (j *Job) eachIncoming(name string, parse func(string) (frontier.URL, error), yield func(seed.Seed, error) bool) (err error) {
	from, err := os.Open(name)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := CreateTemp(j.Path(SeedsDir), "")
	if err != nil {
		return err
	}
	defer os.Remove(to.Name())
	defer to.Close()
	out := bufio.NewWriterSize(to, 64<<10)
	for s, serr := range seed.Scan(from, filepath.Base(name), parse) {
		if serr != nil && !errors.As(serr, new(*seed.Bad)) {
			return serr
		}
		if serr == nil {
			if _, err := out.WriteString(s.String() + "\n"); err != nil {
				return err
			}
		}
		if !yield(s, serr) {
			return errStopped
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := j.takeOver(to, name); err != nil {
		return err
	}
	from.Close() // Windows removes nothing that is open
	return os.Remove(name)
}

// takeOver appends the lines of a file to the seeds of the job, as a whole or not at all, and notes which list they are of.
func (j *Job) takeOver(lines *os.File, list string) error {
	j.seeding.Lock()
	defer j.seeding.Unlock()
	all, err := CreateTemp(j.Path(SeedsDir), "")
	if err != nil {
		return err
	}
	defer os.Remove(all.Name())
	before, err := os.Open(j.Path(SeedsFile))
	if err == nil {
		_, err = io.Copy(all, before)
		before.Close()
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		_, err = lines.Seek(0, io.SeekStart)
	}
	if err == nil {
		_, err = io.Copy(all, lines)
	}
	err = errors.Join(err, all.Sync(), all.Close())
	if err == nil {
		err = errors.Join(os.Rename(all.Name(), j.Path(SeedsFile)), durable.SyncDir(j.dir))
	}
	if err != nil {
		return err
	}
	digest := strings.TrimSuffix(filepath.Base(list), listEnd)
	taken, err := ReadFile(j.Path(listsFile), maxList)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return WriteFile(j.Path(listsFile), append(taken, digest+"\n"...))
}
