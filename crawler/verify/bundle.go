package verify

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/storage/checkpoint"
)

// The files of a bundle.
const (
	bundleReadme      = "README.txt"
	bundleInfo        = "bundle.json"
	bundleLines       = "lines.jsonl"
	bundleProof       = "proof.txt"
	bundleCheckpoints = "checkpoints"
	bundleCertificate = "certificate.html"
	bundleRobots      = "robots/"
)

// bundleFormat is the version of the format of bundles.
const bundleFormat = 1

// Bounds of a bundle. An honest one of a site with a million requests stays far below.
const (
	maxBundle          = int64(2 << 30) // bytes of the file
	maxBundleDirectory = 4 << 20        // of its table of contents
	maxBundleRobots    = 20_000         // files
	maxBundleText      = 64 << 20
	maxBundleLines     = 8 << 30
	maxBundleRatio     = 200 // times that a file may be larger than what it takes in the bundle
)

// ErrBundle says that a file is no bundle, or none that can be read safely.
var ErrBundle = errors.New("verify: not a bundle that can be read")

// A BundleInfo says what a bundle is.
type BundleInfo struct {
	Format  int       `json:"format"`
	Site    string    `json:"site"`
	Made    time.Time `json:"made"`
	Version string    `json:"version"` // of the program that made it
	Lines   int64     `json:"lines"`   // of the ledger that are in it
	Records int64     `json:"records"` // of the ledger then
	// Requests to other sites that are on record as at the same address, or in the same domain: what the log of a server has that
	// does not say for which of its sites a line is. Nil in bundles of versions that did not count them. Nothing proves it.
	Neighbours *int64 `json:"neighbours,omitempty"`
}

// neighbours returns how many requests went to other sites of the server; negative if nobody knows.
func (i BundleInfo) neighbours() int64 {
	switch {
	case i.Neighbours != nil:
		return *i.Neighbours
	case i.Records > i.Lines:
		return -1
	}
	return 0
}

func (i BundleInfo) encode() []byte {
	text, _ := json.MarshalIndent(i, "", "  ") // texts, numbers and a time that was read
	return append(text, '\n')
}

// A Bundle is the evidence about one site, with a proof that its lines are part of the whole ledger. It is a zip file with
// lines.jsonl, the lines of the ledger that are about the site or about the runs as a whole, as they were written; proof.txt, the
// rows of a [checkpoint.Summary]; checkpoints; the robots.txt files of the site under robots/; certificate.html; bundle.json; and a
// README.txt that says how to check all that, also without this program. Its methods are safe for concurrent use.
type Bundle struct {
	Info        BundleInfo
	Certificate []byte // the page that came with it; nil for none
	Readme      []byte // likewise, how to check it
	Checkpoints []checkpoint.Checkpoint

	file  *os.File
	files map[string]*zip.File
}

// OpenBundle opens a bundle that somebody else may have made: nothing in it is believed, and nothing is unpacked. What is not
// one, or is larger than any, is an error that wraps ErrBundle. The caller closes it.
func OpenBundle(name string) (*Bundle, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, fmt.Errorf("verify: open bundle: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%w: %s is not a regular file", ErrBundle, name)
	case info.Size() > maxBundle:
		return nil, fmt.Errorf("%w: %s has %d bytes, more than the %d that one may have", ErrBundle, name, info.Size(), maxBundle)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("verify: open bundle: %w", err)
	}
	b, err := readBundle(f, info.Size())
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	b.file = f
	return b, nil
}

// Close closes the file.
func (b *Bundle) Close() error { return b.file.Close() }

// readBundle reads what a bundle has but for its lines and their proof.
func readBundle(r io.ReaderAt, size int64) (*Bundle, error) {
	refuse := func(format string, args ...any) (*Bundle, error) {
		return nil, fmt.Errorf("%w: %w", ErrBundle, fmt.Errorf(format, args...))
	}
	if err := checkDirectory(r, size); err != nil {
		return refuse("%w", err)
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return refuse("%w", err)
	}
	b := &Bundle{files: map[string]*zip.File{}}
	for _, f := range z.File {
		if err := b.admit(f); err != nil {
			return refuse("%w", err)
		}
	}
	for _, name := range []string{bundleInfo, bundleLines, bundleProof, bundleCheckpoints} {
		if b.files[name] == nil {
			return refuse("it has no %s", name)
		}
	}
	data, err := b.read(bundleInfo)
	if err == nil {
		err = json.Unmarshal(data, &b.Info)
	}
	switch {
	case err != nil:
		return refuse("%s: %w", bundleInfo, err)
	case b.Info.Format != bundleFormat:
		return refuse("it has format %d, want %d", b.Info.Format, bundleFormat)
	case !bytes.Equal(data, b.Info.encode()):
		return refuse("%s is not as it is written: it may have something twice", bundleInfo)
	case b.Info.Site == "" || b.Info.Records < 1 || b.Info.Lines < 1 || b.Info.Lines > b.Info.Records:
		return refuse("%s does not say what it is about", bundleInfo)
	}
	if data, err = b.read(bundleCheckpoints); err == nil {
		b.Checkpoints, err = checkpoint.Parse(data)
	}
	if err == nil && (len(b.Checkpoints) == 0 || b.anchor().Size != b.Info.Records) {
		err = fmt.Errorf("its last checkpoint is not that of its %d records", b.Info.Records)
	}
	if err == nil && b.files[bundleCertificate] != nil {
		b.Certificate, err = b.read(bundleCertificate)
	}
	if err == nil && b.files[bundleReadme] != nil {
		b.Readme, err = b.read(bundleReadme)
	}
	if err != nil {
		return refuse("%w", err)
	}
	return b, nil
}

// anchor is the checkpoint of the ledger as of the bundle.
func (b *Bundle) anchor() checkpoint.Checkpoint { return b.Checkpoints[len(b.Checkpoints)-1] }

// head stands for the ledger as of the bundle.
func (b *Bundle) head() string {
	c := b.anchor()
	return fmt.Sprintf("%d@%x", c.Size, c.Root[:])
}

// checkDirectory looks at the end of a zip file, where its table of contents is: a hostile one is refused before it takes memory.
func checkDirectory(r io.ReaderAt, size int64) error {
	const endSize = 22
	if size < endSize {
		return errors.New("it is too short for a zip file")
	}
	var end [endSize]byte
	if _, err := r.ReadAt(end[:], size-endSize); err != nil {
		return err
	}
	length, offset := binary.LittleEndian.Uint32(end[12:]), binary.LittleEndian.Uint32(end[16:])
	switch {
	case string(end[:4]) != "PK\x05\x06" || end[20] != 0 || end[21] != 0:
		return errors.New("it is no zip file, or is cut off, or has something behind its end")
	case length > maxBundleDirectory:
		return fmt.Errorf("its table of contents has %d bytes, more than the %d that it may have", length, maxBundleDirectory)
	case int64(offset)+int64(length) != size-endSize:
		return errors.New("its table of contents is not where it should be")
	}
	return nil
}

// admit takes in a file of a bundle.
func (b *Bundle) admit(f *zip.File) error {
	hash, isRobots := strings.CutPrefix(f.Name, bundleRobots)
	known := []string{bundleReadme, bundleInfo, bundleLines, bundleProof, bundleCheckpoints, bundleCertificate}
	most := uint64(maxBundleText)
	switch f.Name {
	case bundleLines, bundleProof:
		most = maxBundleLines
	}
	if isRobots {
		most = maxRobotsFile
	}
	switch {
	case isRobots && hash == "" && f.UncompressedSize64 == 0:
		return nil // other programs note folders
	case !slices.Contains(known, f.Name) && !(isRobots && fileName("sha256:"+hash) == hash):
		return fmt.Errorf("it has a file %q, which belongs in no bundle", f.Name)
	case b.files[f.Name] != nil:
		return fmt.Errorf("it has %s twice", f.Name)
	case f.Mode()&fs.ModeType != 0:
		return fmt.Errorf("%s is not a regular file", f.Name)
	case f.Flags&1 != 0:
		return fmt.Errorf("%s is encrypted", f.Name)
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return fmt.Errorf("%s is compressed in a way that is not read", f.Name)
	case f.UncompressedSize64 > most:
		return fmt.Errorf("%s has %d bytes, more than the %d that it may have", f.Name, f.UncompressedSize64, most)
	case f.UncompressedSize64 > 1<<20+maxBundleRatio*f.CompressedSize64:
		return fmt.Errorf("%s is %d times larger than what it takes in the bundle", f.Name,
			f.UncompressedSize64/max(f.CompressedSize64, 1))
	case len(b.files) >= maxBundleRobots:
		return fmt.Errorf("it has more than %d files", maxBundleRobots)
	}
	b.files[f.Name] = f
	return nil
}

// open opens a file of the bundle; nothing is read beyond the size that it is said to have.
func (b *Bundle) open(name string) (io.ReadCloser, error) {
	f := b.files[name]
	if f == nil {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	in, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{io.LimitReader(in, int64(f.UncompressedSize64)+1), in}, nil
}

// read returns a file of the bundle that is not large.
func (b *Bundle) read(name string) (data []byte, err error) {
	in, err := b.open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if data, err = io.ReadAll(in); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}
