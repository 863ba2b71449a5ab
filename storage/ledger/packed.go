package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cybermapper/cybermapper/storage/ctxio"
	"github.com/cybermapper/cybermapper/storage/durable"
	"github.com/klauspost/compress/zstd"
)

// A file that is ended is packed: replaced by the same text in one frame of zstd (RFC 8878), a sixth of the size.
const (
	packedSuffix = ".zst"
	unfinished   = ".tmp"   // behind the name of a file that is being packed or unpacked
	packWindow   = 1 << 20  // bytes that whoever reads must keep, besides those of a block
	mostWindow   = 64 << 20 // that are accepted: somebody else may have packed the file
)

// packedName returns the name of the nth file when it is packed.
func packedName(n int) string { return segmentName(n) + packedSuffix }

// isPacked reports whether the nth file is there packed only.
func isPacked(dir string, n int) bool {
	_, plain := os.Lstat(filepath.Join(dir, segmentName(n)))
	_, packed := os.Lstat(filepath.Join(dir, packedName(n)))
	return errors.Is(plain, fs.ErrNotExist) && packed == nil
}

// openSegment opens the nth file to read its text from an offset, packed or not. Another process may pack it at any time.
func openSegment(dir string, n int, offset int64) (io.ReadCloser, error) {
	f, err := openRegular(filepath.Join(dir, segmentName(n)))
	if err == nil {
		if _, err := f.Seek(offset, io.SeekStart); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return f, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	packed, perr := openRegular(filepath.Join(dir, packedName(n)))
	if errors.Is(perr, fs.ErrNotExist) {
		return nil, err
	}
	if perr != nil {
		return nil, perr
	}
	r, err := newUnpacker(packed)
	if err == nil {
		_, err = io.CopyN(io.Discard, r, offset)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, packed.Close())
	}
	return r, nil
}

// openRegular opens a regular file: opening a pipe would wait for ever.
func openRegular(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New(filepath.Base(name) + " is not a regular file")
	}
	return os.Open(name)
}

// twins looks for files that are there plain and packed, as a kill may leave them, with another text each: whoever unpacks one
// reads another ledger.
func twins(dir string) error {
	list, err := segments(dir)
	if err != nil {
		return err
	}
	for _, n := range list {
		if _, err := os.Lstat(filepath.Join(dir, packedName(n))); err != nil {
			continue
		}
		plain, err := os.Open(filepath.Join(dir, segmentName(n)))
		if err != nil {
			continue // whoever reads it tells what is wrong
		}
		same, err := hasText(filepath.Join(dir, packedName(n)), plain)
		if err = errors.Join(err, plain.Close()); err != nil {
			return fmt.Errorf("ledger: compare %s: %w", packedName(n), err)
		}
		if !same {
			return &CorruptError{File: packedName(n), What: "has another text than " + segmentName(n) + " beside it"}
		}
	}
	return nil
}

// hasText reports whether a packed file has the text of a plain one. One that another process has removed by now has.
func hasText(packed string, plain io.Reader) (bool, error) {
	f, err := openRegular(packed)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist), nil
	}
	r, err := newUnpacker(f)
	if err != nil {
		return false, f.Close()
	}
	want, got := sha256.New(), sha256.New()
	_, err = io.Copy(want, plain)
	_, bad := io.Copy(got, r)
	return bad == nil && bytes.Equal(want.Sum(nil), got.Sum(nil)), errors.Join(err, r.Close())
}

// An unpacker reads the text of a packed file.
type unpacker struct {
	file *os.File
	zstd *zstd.Decoder
}

// errPacked is what is wrong with a packed file that is not as it was written.
var errPacked = errors.New("cannot be unpacked")

func newUnpacker(f *os.File) (*unpacker, error) {
	d, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(mostWindow))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPacked, err)
	}
	return &unpacker{f, d}, nil
}

func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.zstd.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && !errors.As(err, new(*fs.PathError)) {
		err = fmt.Errorf("%w: %w", errPacked, err)
	}
	return n, err
}

func (u *unpacker) Close() error {
	u.zstd.Close()
	return u.file.Close()
}

// textSize returns the length of the text of the nth file, as far as that is known without reading it.
func textSize(dir string, n int) int64 {
	if info, err := os.Stat(filepath.Join(dir, segmentName(n))); err == nil {
		return info.Size()
	}
	f, err := openRegular(filepath.Join(dir, packedName(n)))
	if err != nil {
		return 0
	}
	defer f.Close()
	head := make([]byte, zstd.HeaderMaxSize)
	size, _ := io.ReadFull(f, head)
	var h zstd.Header
	if h.Decode(head[:size]) != nil || !h.HasFCS {
		return 0
	}
	return int64(min(h.FrameContentSize, 1<<62))
}

// pack replaces the nth file, which is on stable storage and ended, by a packed one with the same text, which it reads again to be
// sure. A process that is killed on the way leaves the file as it was, or both, of which the plain one counts.
func pack(ctx context.Context, dir string, n int) error {
	name, packed := filepath.Join(dir, segmentName(n)), filepath.Join(dir, packedName(n))
	err := writePacked(ctx, name, packed+unfinished)
	if err != nil {
		err = errors.Join(err, os.Remove(packed+unfinished))
	} else if err = os.Rename(packed+unfinished, packed); err == nil {
		err = durable.SyncDir(dir)
	}
	if err == nil {
		err = os.Remove(name)
	}
	if err != nil {
		return fmt.Errorf("ledger: pack %s: %w", segmentName(n), err)
	}
	return nil
}

// writePacked writes the text of a file, packed, into a new file, and makes sure that it can be had back.
func writePacked(ctx context.Context, name, packed string) error {
	from, err := openRegular(name)
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	to, err := os.OpenFile(packed, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer to.Close()
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(packWindow))
	if err != nil {
		return err
	}
	want, got := sha256.New(), sha256.New()
	e.ResetContentSize(to, info.Size())
	_, err = io.Copy(io.MultiWriter(e, want), ctxio.Reader(ctx, from))
	if err = errors.Join(err, e.Close(), to.Sync()); err != nil {
		return err
	}
	if _, err := to.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r, err := newUnpacker(to)
	if err != nil {
		return err
	}
	defer r.zstd.Close()
	if _, err := io.Copy(got, ctxio.Reader(ctx, r)); err != nil {
		return err
	}
	if !bytes.Equal(want.Sum(nil), got.Sum(nil)) {
		return errPacked
	}
	return nil
}

// unpack makes a plain file of a packed one, as far as that can be read. One that cannot be read to its end is kept beside it.
func unpack(dir string, n int) error {
	name, packed := filepath.Join(dir, segmentName(n)), filepath.Join(dir, packedName(n))
	r, err := openSegment(dir, n, 0)
	if err != nil && !errors.Is(err, errPacked) {
		return err
	}
	to, terr := os.OpenFile(name+unfinished, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if terr != nil {
		return terr
	}
	damaged := err
	if err == nil {
		_, damaged = io.Copy(to, r)
		r.Close()
	}
	err = errors.Join(to.Sync(), to.Close())
	if err == nil && damaged != nil && !errors.Is(damaged, errPacked) {
		err = damaged
	}
	if err == nil {
		err = os.Rename(name+unfinished, name)
	}
	switch {
	case err != nil:
	case damaged != nil:
		err = os.Rename(packed, packed+cutSuffix)
	default:
		err = os.Remove(packed)
	}
	return errors.Join(err, durable.SyncDir(dir))
}

// removeUnfinished removes what a process that was killed while it packed has left.
func removeUnfinished(dir string) error {
	left, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range left {
		if strings.HasPrefix(e.Name(), segmentPrefix) && strings.HasSuffix(e.Name(), unfinished) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}
