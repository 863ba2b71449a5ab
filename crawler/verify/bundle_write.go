package verify

import (
	"archive/zip"
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/crawler/optout"
	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

//go:embed bundle.txt
var bundleReadmeText string

// BundleReadme is the text that goes with every bundle: how to check it.
func BundleReadme() []byte { return []byte(bundleReadmeText) }

// BundleOptions say what goes into a bundle. Only Site and Checkpoint must be given.
type BundleOptions struct {
	Site       string
	Checkpoint checkpoint.Checkpoint // of the ledger as far as the bundle goes, signed or not
	Version    string                // of the program
	Made       time.Time
	Cuts       []int64 // sizes of the ledger that somebody may have noted, besides those of its checkpoints
}

// WriteBundle writes a bundle: what the ledger says of one site, up to a checkpoint. The certificate is added by
// [Bundle.WithCertificate], for it is made from the bundle.
func WriteBundle(ctx context.Context, w io.Writer, j Job, o BundleOptions) error {
	b := &bundler{job: j, opts: o, zip: zip.NewWriter(w), digests: map[string]bool{}, near: newNeighbourhood(o.Site),
		cuts: map[int64]bool{}}
	if err := b.write(ctx); err != nil {
		return fmt.Errorf("write bundle: %w", err)
	}
	return nil
}

// A bundler writes one bundle.
type bundler struct {
	job     Job
	opts    BundleOptions
	zip     *zip.Writer
	notes   []byte // the checkpoints
	digests map[string]bool
	near    *neighbourhood
	cuts    map[int64]bool
	chosen  int64
	others  int64 // requests to other sites of the server
}

func (b *bundler) write(ctx context.Context) error {
	own, err := checkpoint.Read(b.job.Ledger)
	if err != nil {
		return err
	}
	anchor := b.opts.Checkpoint
	for _, c := range own {
		if c.Size < anchor.Size || c.Size == anchor.Size && c.Root != anchor.Root {
			b.cuts[c.Size] = true
			b.notes = append(append(b.notes, c.Note...), '\n')
		}
	}
	for _, size := range b.opts.Cuts {
		b.cuts[size] = true
	}
	b.notes = append(append(b.notes, anchor.Text()...), '\n')
	if err := b.findAddresses(ctx); err != nil {
		return err
	}
	if err := b.writeLines(ctx); err != nil {
		return err
	}
	if err := b.writeProof(ctx); err != nil {
		return err
	}
	if err := b.writeRobots(); err != nil {
		return err
	}
	return b.writeRest()
}

// chosenLines iterates over the lines up to the checkpoint, and says which of them go into the bundle.
func (b *bundler) chosenLines(ctx context.Context, do func(line []byte, r *ledger.Record, show bool) error) error {
	n := int64(0)
	for line, err := range ledger.Lines(b.job.Ledger, 0) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		r, err := ledger.Decode(line)
		if err != nil {
			return err
		}
		if err := do(line, &r, b.concerns(&r)); err != nil {
			return err
		}
		if n++; n == b.opts.Checkpoint.Size {
			return nil
		}
	}
	return fmt.Errorf("the ledger has %d records, the checkpoint is of %d", n, b.opts.Checkpoint.Size)
}

// findAddresses notes under which addresses the site was asked: who opts out may be named by one.
func (b *bundler) findAddresses(ctx context.Context) error {
	return b.chosenLines(ctx, func(_ []byte, r *ledger.Record, show bool) error {
		if r.Type == ledger.Request && show {
			b.near.add(r)
		}
		return nil
	})
}

// concerns reports whether a record is about the site, or about the run as a whole.
func (b *bundler) concerns(r *ledger.Record) bool {
	site := b.opts.Site
	switch r.Type {
	case ledger.Run:
		switch r.Event {
		case ledger.EventOverride:
			return r.Site == site
		case ledger.EventOptOut, ledger.EventLifted:
			return b.names(r.Rule)
		}
		return true
	case ledger.Request:
		return r.Site == site || siteOf(r.URL) == site || siteOf(r.Origin) == site
	}
	return r.Site == site || r.URL != "" && siteOf(r.URL) == site
}

// names reports whether an entry of the list of opt-outs names the site.
func (b *bundler) names(entry string) bool {
	list, _, err := optout.Parse(strings.NewReader(entry + "\n"))
	if err != nil {
		return true // whatever it is, it is not hidden
	}
	if u, err := url.Parse("http://" + b.opts.Site); err == nil {
		if _, out := list.Host(u.Hostname()); out {
			return true
		}
	}
	for addr := range b.near.addresses {
		if _, out := list.Address(addr); out {
			return true
		}
	}
	return false
}

func (b *bundler) writeLines(ctx context.Context) error {
	f, err := b.create(bundleLines)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = b.chosenLines(ctx, func(line []byte, r *ledger.Record, show bool) error {
		if !show {
			if r.Type == ledger.Request && b.near.has(r) {
				b.others++
			}
			return nil
		}
		b.chosen++
		for _, digest := range b.judgedBy(r) {
			b.digests[digest] = true
		}
		w.Write(line) // the error is that of Flush
		return w.WriteByte('\n')
	})
	return errors.Join(err, w.Flush())
}

// judgedBy returns the robots.txt files that a record of the site is judged by.
func (b *bundler) judgedBy(r *ledger.Record) (digests []string) {
	if r.Type == ledger.Request && siteOf(r.URL) == b.opts.Site && r.RobotsDigest != "" {
		digests = append(digests, r.RobotsDigest)
	}
	brought := r.Type == ledger.Request && r.Purpose == forRobots && siteOf(r.Origin) == b.opts.Site
	if r.Digest != "" && (brought || r.Type == ledger.Refusal) {
		digests = append(digests, r.Digest)
	}
	return digests
}

func (b *bundler) writeProof(ctx context.Context) error {
	f, err := b.create(bundleProof)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	s := checkpoint.Summary{Row: func(r checkpoint.Row) error {
		_, err := fmt.Fprintln(w, r)
		return err
	}}
	size := int64(0)
	err = b.chosenLines(ctx, func(line []byte, _ *ledger.Record, show bool) error {
		if err := s.Add(line, show); err != nil {
			return err
		}
		if size++; b.cuts[size] || size == b.opts.Checkpoint.Size {
			return s.Cut()
		}
		return nil
	})
	if err = errors.Join(err, w.Flush()); err != nil {
		return err
	}
	if s.Checkpoint("").Root != b.opts.Checkpoint.Root {
		return errors.New("the ledger is not that of the checkpoint")
	}
	return nil
}

// writeRobots writes the robots.txt files that decisions rest on. One that is missing is missed by whoever checks the bundle.
func (b *bundler) writeRobots() error {
	list := slices.Sorted(maps.Keys(b.digests))
	for _, digest := range list[:min(len(list), maxBundleRobots-10)] {
		body, err := b.job.robotsFile(digest)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = b.put(bundleRobots+fileName(digest), body)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bundler) writeRest() error {
	info := BundleInfo{
		Format: bundleFormat, Site: b.opts.Site, Made: b.opts.Made.UTC().Truncate(time.Second), Version: b.opts.Version,
		Lines: b.chosen, Records: b.opts.Checkpoint.Size, Neighbours: &b.others,
	}
	return errors.Join(
		b.put(bundleCheckpoints, b.notes), b.put(bundleInfo, info.encode()), b.put(bundleReadme, BundleReadme()),
		b.zip.Close(),
	)
}

func (b *bundler) put(name string, data []byte) error {
	f, err := b.create(name)
	if err == nil {
		_, err = f.Write(data)
	}
	return err
}

func (b *bundler) create(name string) (io.Writer, error) { return b.zip.CreateHeader(b.header(name)) }

func (b *bundler) header(name string) *zip.FileHeader { return fileHeader(name, b.opts.Made) }

func fileHeader(name string, made time.Time) *zip.FileHeader {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: made.UTC()}
	h.SetMode(0o644)
	return h
}

// WithCertificate writes the bundle once more, with a page for people in it.
func (b *Bundle) WithCertificate(w io.Writer, page []byte) error {
	z := zip.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(b.files)) {
		if name == bundleCertificate {
			continue
		}
		if err := z.Copy(b.files[name]); err != nil {
			return fmt.Errorf("write bundle: %w", err)
		}
	}
	f, err := z.CreateHeader(fileHeader(bundleCertificate, b.Info.Made))
	if err == nil {
		_, err = f.Write(page)
	}
	if err = errors.Join(err, z.Close()); err != nil {
		return fmt.Errorf("write bundle: %w", err)
	}
	return nil
}
