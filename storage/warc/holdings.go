package warc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/cybermapper/cybermapper/storage/durable"
)

// Files returns the names of the WARC files that lie in a directory, in order, without those that are being written.
func Files(dir string) ([]string, error) {
	return namesIn(dir, func(name string) bool {
		return strings.HasSuffix(strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst"), ".warc")
	})
}

// Missing returns the names of files that have an index in indexDir, and are not in dir. What has no index is not missed: who
// moves a file elsewhere moves its index as well.
func Missing(dir, indexDir string) ([]string, error) {
	names, err := indexed(indexDir)
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, name := range names {
		isThere, err := exists(filepath.Join(dir, name))
		if err == nil && !isThere { // a process may have died before it gave the file its name
			isThere, err = exists(filepath.Join(dir, name+openSuffix))
		}
		if err != nil {
			return nil, err
		}
		if !isThere {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

// exists reports whether there is a file of that name.
func exists(name string) (bool, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Mode().IsRegular(), err
}

// indexed returns the names of the files whose indexes lie in a directory, in order, which may not exist.
func indexed(dir string) ([]string, error) {
	names, err := namesIn(dir, func(name string) bool { return strings.HasSuffix(name, IndexSuffix) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for i := range names {
		names[i] = strings.TrimSuffix(names[i], IndexSuffix)
	}
	return names, err
}

func namesIn(dir string, isMeant func(name string) bool) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && isMeant(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Captures returns those of a file, in its order, as the index that an Archive writes has them. It passes over what is damaged. An
// error is the last it yields.
func Captures(ctx context.Context, name string) iter.Seq2[Capture, error] {
	return func(yield func(Capture, error) bool) {
		r, err := OpenFile(name)
		if _, isDamaged := errors.AsType[*FormatError](err); isDamaged {
			return
		}
		if err != nil {
			yield(Capture{}, err)
			return
		}
		defer r.Close()
		r.Until(ctx)
		for {
			rec, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			var c Capture
			var listed bool
			if err == nil {
				c, listed, err = CaptureOf(rec, filepath.Base(name))
			}
			if _, isDamaged := errors.AsType[*FormatError](err); isDamaged {
				continue
			}
			if err != nil {
				yield(Capture{}, err)
				return
			}
			if listed && !yield(c, nil) {
				return
			}
		}
	}
}

// WriteIndex writes the index of a file that is finished, or writes it anew.
func WriteIndex(ctx context.Context, name, index string) (err error) {
	var lines Sorter
	defer func() { err = errors.Join(err, lines.Close()) }()
	if err := addCaptures(ctx, &lines, name); err != nil {
		return err
	}
	return writeIndex(index, &lines, durable.SyncDir)
}

func addCaptures(ctx context.Context, lines *Sorter, name string) error {
	var line []byte
	for c, err := range Captures(ctx, name) {
		if err != nil {
			return err
		}
		line = c.AppendTo(line[:0])
		if err := lines.Add(line); err != nil {
			return err
		}
	}
	return nil
}

// CheckIndex returns in what an index differs from the captures of a file that is sound; "" if in nothing. It needs room for
// temporary files of the size of the index.
func CheckIndex(ctx context.Context, name, index string) (differs string, err error) {
	var lines Sorter
	defer func() { err = errors.Join(err, lines.Close()) }()
	if err := addCaptures(ctx, &lines, name); err != nil {
		return "", err
	}
	r, err := openLines(index)
	if errors.Is(err, fs.ErrNotExist) {
		return "it is missing", nil
	}
	if err != nil {
		return "", err
	}
	defer r.Close()
	n := 0
	err = lines.Each(func(want []byte) error {
		n++
		got, err := r.next()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err != nil || !sameCapture(bytes.TrimSuffix(got, []byte("\n")), want) {
			return errDiffers
		}
		return nil
	})
	if err == nil {
		if _, err = r.next(); errors.Is(err, io.EOF) {
			return "", nil
		}
		n++
	}
	if err == nil || errors.Is(err, errDiffers) || errors.Is(err, errLong) {
		return fmt.Sprintf("line %d is not what the file says", n), nil
	}
	return "", err
}

var errDiffers = errors.New("another line")

// sameCapture compares two lines, but for the media type, of which another version may have made something else.
func sameCapture(got, want []byte) bool {
	if bytes.Equal(got, want) {
		return true
	}
	a, err := ParseCapture(got)
	b, berr := ParseCapture(want)
	if (a.Type == RevisitType) == (b.Type == RevisitType) {
		a.Type = b.Type
	}
	return err == nil && berr == nil && a == b
}

// EachSound calls visit with where each record of a file begins and ends that is whole, alone in its member, and has the digests
// that it tells of. What a damaged record holds may look like records, as a page may have been made to: behind damage only those
// count that the index of the file names, and what follows them. The Result is that of Check.
func EachSound(ctx context.Context, name, index string, visit func(begin, end int64) error) (Result, error) {
	begins := map[int64]bool{}
	for c, err := range ReadIndex(index) {
		switch {
		case err == nil:
			begins[c.Offset] = true
		case !errors.Is(err, ErrNoCapture) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errLong):
			return Result{}, err
		}
	}
	next := int64(0)
	c := checker{found: func(Finding) error { return nil }}
	c.sound = func(begin, end int64) error {
		if begin != next && !begins[begin] {
			return nil
		}
		next = end
		return visit(begin, end)
	}
	return c.check(ctx, name)
}

// Salvage copies the records of EachSound to a new file, byte for byte, which is on stable storage then, and returns how many.
func Salvage(ctx context.Context, name, index, to string) (records int, err error) {
	from, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return 0, err
	}
	_, err = EachSound(ctx, name, index, func(begin, end int64) error {
		records++
		_, err := io.Copy(out, io.NewSectionReader(from, begin, end-begin))
		return err
	})
	return records, errors.Join(err, out.Sync(), out.Close())
}
