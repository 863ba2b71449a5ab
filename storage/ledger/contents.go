package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/cybermapper/cybermapper/storage/internal/contents"
)

// contentsName is the file that says what is in which packed file.
const contentsName = "contents"

// A described is what the contents say of a packed file, besides its keys: its chain is whole, from record First, which names Prev,
// to record Last, whose hash is Sum.
type described struct {
	File  int    `json:"file"`
	Size  int64  `json:"size"`  // of the packed file
	Check string `json:"check"` // of its bytes: two checksums of 32 bits
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
	Prev  string `json:"prev"`
	Sum   string `json:"sum"`
}

// Contents know of the packed files of a ledger what is not in them. They are no part of its evidence: they follow from the files
// and may be lost. What they say of a file counts only as long as that has the checksum that it had when its chain was found whole;
// any other file is read. Whoever can write to the ledger can write contents that leave something out, and who asks them does not
// find it. [CheckContents] does; Verify, Walk and Read know nothing of contents, unless Read is asked to.
type Contents struct {
	dir   string
	files map[int]described // that are as they were
}

// OpenContents reads the contents of the ledger in dir, and each file that they describe, to know whether it still is the same.
// What cannot be read describes nothing. It changes nothing, and may run while a process appends.
func OpenContents(dir string) *Contents {
	c := &Contents{dir: dir, files: map[int]described{}}
	for d := range describedIn(dir) {
		c.files[d.File] = d
	}
	c.dropOthers()
	return c
}

// describedIn iterates over what the contents of the ledger in dir describe, with the part that does.
func describedIn(dir string) iter.Seq2[described, contents.Part] {
	return func(yield func(described, contents.Part) bool) {
		for p, err := range contents.Scan(filepath.Join(dir, contentsName)) {
			if err != nil {
				return
			}
			d := described{}
			if json.Unmarshal(p.Head, &d) == nil && d.First > 0 && d.Last >= d.First && !yield(d, p) {
				return
			}
		}
	}
}

// dropOthers forgets the files that are not as described.
func (c *Contents) dropOthers() {
	todo := make(chan described, len(c.files))
	for _, d := range c.files {
		todo <- d
	}
	close(todo)
	var mu sync.Mutex // guards c.files
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for d := range todo {
				if !d.hasSize(c.dir) || checksumOf(filepath.Join(c.dir, packedName(d.File))) != d.Check {
					mu.Lock()
					delete(c.files, d.File)
					mu.Unlock()
				}
			}
		})
	}
	workers.Wait()
}

// hasSize reports whether there is a packed file, and no other, and it has the size of the one that is described.
func (d described) hasSize(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, packedName(d.File)))
	return err == nil && info.Size() == d.Size && isPacked(dir, d.File)
}

// checksumOf returns what stands for the bytes of a file; nothing when it cannot be read, of which whoever reads its text tells.
func checksumOf(name string) string {
	f, err := openRegular(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	a, b := crc32.New(crc32.MakeTable(crc32.Castagnoli)), crc32.NewIEEE()
	if _, err := io.CopyBuffer(io.MultiWriter(a, b), struct{ io.Reader }{f}, make([]byte, 64<<10)); err != nil {
		return ""
	}
	return fmt.Sprintf("%08x%08x", a.Sum32(), b.Sum32())
}

// A Selection is what may hold what somebody looks for. Nil stands for all files.
type Selection struct{ without map[int]bool }

// Select returns the files that may hold a record with one of the keys: those without one, and those that are not described.
func (c *Contents) Select(keys ...Key) *Selection {
	s := &Selection{map[int]bool{}}
	for d, p := range describedIn(c.dir) {
		if d == c.files[d.File] {
			s.without[d.File] = !p.May(keys...)
		}
	}
	return s
}

// Has reports whether a file, by its number, may hold it.
func (s *Selection) Has(file int) bool { return s == nil || !s.without[file] }

// Files returns the numbers of the files of the ledger, in order.
func (c *Contents) Files() ([]int, error) {
	list, err := segments(c.dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return list, err
}

// Lines iterates over the whole lines of one file, as written; a line is valid until the next. The errors are those of Read.
func (c *Contents) Lines(file int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		segmentLines(c.dir, entry{segment: file}, true, func(e entry, err error) bool { return e.torn > 0 || yield(e.text, err) })
	}
}

// Sound is Verify for who wants an answer soon: the chain within a file that is as described is known to be whole, and is not
// walked along again. The error is a *[CorruptError] when the ledger is not as it was written.
func (c *Contents) Sound() error {
	known, err := readMark(c.dir)
	if err != nil {
		return err
	}
	walk := chain{known: known, contents: c}
	if err := walk.follow(c.dir, origin()); err != nil {
		return err
	}
	return twins(c.dir)
}

// leaps reports whether a chain that must have a record need not be walked along in a file. A nil Contents knows of none.
func (c *Contents) leaps(file int, known mark) bool {
	if c == nil {
		return false
	}
	d, ok := c.files[file]
	return ok && (known.Sum == "" || known.Seq < d.First || known.Seq > d.Last)
}
