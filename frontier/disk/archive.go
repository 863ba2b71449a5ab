package disk

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Files returns the file system that frontiers with these options are kept in.
func (o Options) Files() vfs.FS { return o.withDefaults().FS }

// copyAtOnce is how much of a file is in memory while it is copied.
const copyAtOnce = 256 << 10

// Pack writes the files of a snapshot to w, as a tar archive.
func Pack(w io.Writer, dir string, o Options) error {
	files := o.Files()
	names, err := files.List(dir)
	if err != nil {
		return fmt.Errorf("pack the snapshot in %s: %w", dir, err)
	}
	archive, room := tar.NewWriter(w), make([]byte, copyAtOnce)
	for _, name := range names {
		if err := packFile(archive, files, dir, name, room); err != nil {
			return fmt.Errorf("pack the snapshot in %s: %w", dir, err)
		}
	}
	return archive.Close()
}

func packFile(archive *tar.Writer, files vfs.FS, dir, name string, room []byte) error {
	file, err := files.Open(files.PathJoin(dir, name))
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: 0o644}); err != nil {
		return err
	}
	_, err = io.CopyBuffer(onlyWriter{archive}, onlyReader{file}, room)
	return err
}

// onlyReader and onlyWriter keep a copy from taking another way than through the buffer it was given.
type onlyReader struct{ io.Reader }
type onlyWriter struct{ io.Writer }

// errArchive says that what Unpack reads is no archive of a snapshot.
var errArchive = errors.New("not the archive of a snapshot")

// Unpack makes dir, which must not exist, the directory that Pack wrote, and returns when that is on stable storage. It reads r to
// its end. An error for which IsDamaged is true says that r is not what Pack wrote; dir then holds a part of it. That no file was
// left out or changed it does not see: whoever has a hash of the archive compares it before using dir.
func Unpack(r io.Reader, dir string, o Options) error {
	if err := unpack(r, dir, o.Files()); err != nil {
		return fmt.Errorf("unpack a snapshot into %s: %w", dir, err)
	}
	return nil
}

func unpack(r io.Reader, dir string, files vfs.FS) error {
	if _, err := files.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fs.ErrExist)
	}
	if err := files.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	archive, room := tar.NewReader(r), make([]byte, copyAtOnce)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return archiveError(err)
		}
		if header.Typeflag != tar.TypeReg || !isPlainName(header.Name) || isSparse(header) {
			return fmt.Errorf("%w: it has %q", errArchive, header.Name)
		}
		if err := unpackFile(archive, files, files.PathJoin(dir, header.Name), room); err != nil {
			return err
		}
	}
	if _, err := io.CopyBuffer(io.Discard, onlyReader{r}, room); err != nil {
		return err
	}
	return syncDir(files, dir)
}

// archiveError tells an archive that is none from one that cannot be read.
func archiveError(err error) error {
	if errors.Is(err, tar.ErrHeader) || errors.Is(err, tar.ErrInsecurePath) || errors.Is(err, tar.ErrFieldTooLong) ||
		errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %w", errArchive, err)
	}
	return err
}

// isSparse reports whether a file is said to be longer than what the archive has of it.
func isSparse(header *tar.Header) bool {
	for key := range header.PAXRecords {
		if key != "size" {
			return true
		}
	}
	return false
}

// isPlainName reports whether a name is that of a file of a store, in its directory.
func isPlainName(name string) bool {
	return name != "" && name[0] != '.' &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") == ""
}

func unpackFile(archive *tar.Reader, files vfs.FS, name string, room []byte) error {
	file, err := files.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	if _, err = io.CopyBuffer(onlyWriter{file}, onlyReader{archive}, room); err == nil {
		err = file.Sync()
	}
	return errors.Join(archiveError(err), file.Close())
}

func syncDir(files vfs.FS, dir string) error {
	d, err := files.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Replace makes dir what by was, a directory beside it, whatever was in dir, and returns when that is on stable storage.
func Replace(dir, by string, o Options) error {
	files := o.Files()
	err := files.RemoveAll(dir)
	if err == nil {
		err = files.Rename(by, dir)
	}
	if err == nil {
		err = syncDir(files, files.PathDir(dir))
	}
	if err != nil {
		return fmt.Errorf("replace the frontier in %s: %w", dir, err)
	}
	return nil
}
