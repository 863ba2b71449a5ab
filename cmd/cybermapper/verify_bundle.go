package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/storage/checkpoint"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// runBundle judges what somebody was given as the evidence about one site.
func (o *verifyOptions) runBundle(ctx context.Context, name string, w io.Writer) (err error) {
	b, err := verify.OpenBundle(name)
	if _, noJob := job.KindOf(name); err != nil && noJob == nil {
		return cli.UsageError("did you mean --job "+say.Argument(name)+"?", "%s is a job, not a bundle", name)
	}
	if errors.Is(err, verify.ErrBundle) {
		return cli.UsageError("a bundle is what verify --host H --bundle FILE writes", "%s: %w", name, err)
	}
	if err != nil {
		return cli.UsageError("", "%w", err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if o.host != "" && o.host != b.Info.Site {
		return cli.UsageError("", "%s is about %s, not about %s", name, b.Info.Site, o.host)
	}
	o.host, o.dir = b.Info.Site, name
	e := &evidence{Job: verify.Job{Bundle: b}}
	if o.replay {
		return verifyError(o.replayed(ctx, e, w))
	}
	return verifyError(o.certify(ctx, e, w))
}

// program names this program, as bundles note it.
func program() string {
	b := cli.ReadBuild()
	name := b.Version
	if b.Commit != "" && !strings.Contains(name, b.Commit[:min(len(b.Commit), 12)]) {
		name += " " + b.Commit
	}
	if b.Modified {
		name += " modified"
	}
	return name
}

// comparePage judges whether what a bundle has for people, its page and its README, is what this program makes of its lines. If
// another version made something else of them, nobody knows whether it was altered.
func comparePage(ctx context.Context, b *verify.Bundle, r *verify.Report) error {
	p := verify.Promise{
		Name: "certificate", Text: "the page in the bundle says what its lines say, and its README.txt how to check them",
		Verdict: verify.Proven, Findings: []verify.Finding{},
	}
	compare := func(name string, got, want []byte) {
		if p.Checked++; bytes.Equal(got, want) {
			return
		}
		f := verify.Finding{What: name + " was altered, or is of other lines; --certificate writes one anew"}
		if f.Unknown = b.Info.Version != program(); f.Unknown {
			const other = "%s is not what this version makes of the lines: version %s did, or it was altered"
			f.What = fmt.Sprintf(other, name, b.Info.Version)
			p.Unknown++
			p.Verdict = p.Verdict.Worse(verify.NotShown)
		} else {
			p.Broken++
			p.Verdict = verify.Refuted
		}
		p.Findings = append(p.Findings, f)
	}
	if b.Readme != nil {
		compare("README.txt", b.Readme, verify.BundleReadme())
	}
	if b.Certificate != nil {
		page, err := bundlePage(ctx, b)
		if err != nil {
			return err
		}
		compare("certificate.html", b.Certificate, page)
	}
	if p.Checked > 0 {
		r.Promises, r.Verdict = append(r.Promises, p), r.Verdict.Worse(p.Verdict)
	}
	return nil
}

// bundlePage returns the page that a bundle leads to.
func bundlePage(ctx context.Context, b *verify.Bundle) ([]byte, error) {
	c, err := verify.Certify(ctx, verify.Job{Bundle: b}, b.Info.Site, verify.Options{})
	if err != nil {
		return nil, err
	}
	return certificateHTML(c, b.Info.Made, translate.Language{})
}

// writeBundle writes what there is to be known about the site of a certificate.
func (o *verifyOptions) writeBundle(ctx context.Context, j verify.Job, c *verify.Certificate,
	anchor checkpoint.Checkpoint) (err error) {
	if c.Broken() {
		return cli.WithHint(errors.New("no bundle was written: the ledger is broken, so no line of it proves anything"),
			"cybermapper check says where")
	}
	name, err := job.Replaceable(o.bundle)
	if err != nil {
		return err
	}
	first, err := job.CreateBeside(name) // it stays open, or another process might take it for one that was left
	if err != nil {
		return fmt.Errorf("write bundle: %w", err)
	}
	defer func() { err = errors.Join(err, first.Close(), os.Remove(first.Name())) }()
	err = verify.WriteBundle(ctx, first, j, verify.BundleOptions{
		Site: c.Site, Checkpoint: anchor, Version: program(), Made: time.Now(), Cuts: o.cuts(),
	})
	if err != nil {
		return err
	}
	b, err := verify.OpenBundle(first.Name())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	page, err := bundlePage(ctx, b)
	if err != nil {
		return err
	}
	return job.Replace(name, func(whole *os.File) error { return b.WithCertificate(whole, page) })
}

// cuts returns the sizes of the ledger that somebody has noted.
func (o *verifyOptions) cuts() (sizes []int64) {
	for _, c := range o.noted {
		sizes = append(sizes, c.Size)
	}
	for _, h := range o.notedHeads {
		sizes = append(sizes, h.Size)
	}
	return sizes
}

// anchor returns the checkpoint of a ledger of that size: one that was signed before, one that is signed now if the key is at
// hand, or one that nobody has signed.
func (o *verifyOptions) anchor(dir string, v *job.View, size int64) (checkpoint.Checkpoint, error) {
	key, err := o.signingKey(v)
	if err != nil {
		return checkpoint.Checkpoint{}, err
	}
	own, err := checkpoint.Read(dir)
	if err != nil {
		return checkpoint.Checkpoint{}, err
	}
	var t checkpoint.Tree
	if err := t.Follow(dir, size); err != nil {
		return checkpoint.Checkpoint{}, fmt.Errorf("read the ledger: %w", err)
	}
	for _, c := range own {
		if c.Size == size && c.Root == t.Root() && (key == nil || c.Verify(key.Verifier) == nil) {
			return c, nil
		}
	}
	name := "unsigned"
	if key != nil {
		name = key.Name
	}
	origin, err := checkpoint.Origin(dir, name)
	if err != nil || key == nil {
		return t.Checkpoint(origin), err
	}
	c, err := t.Checkpoint(origin).Sign(key)
	if err != nil {
		return c, err
	}
	if err := ledger.Settle(dir); err != nil { // what is signed must not be lost
		return c, err
	}
	return c, checkpoint.Append(dir, c)
}

// signingKey returns the key of --key, or the one that the job names if it is there.
func (o *verifyOptions) signingKey(v *job.View) (*checkpoint.Key, error) {
	if o.key != "" {
		key, err := checkpoint.ReadKey(o.key)
		if err != nil {
			return nil, cli.UsageError("cybermapper key new makes one", "--key: %w", err)
		}
		return key, nil
	}
	name := evidenceSettings(v).Key
	if name == "" {
		return nil, nil
	}
	key, err := checkpoint.ReadKey(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // it is elsewhere, as it may be
	}
	return key, err
}

// evidenceSettings returns what a job says of its evidence, whatever else is wrong in its configuration; nothing when that is not
// there, but the evidence alone.
func evidenceSettings(v *job.View) config.Evidence {
	var c config.Config
	name := v.Path(job.ConfigFile)
	if data, err := os.ReadFile(name); err == nil {
		config.Decode(name, data, &c)
	}
	return c.Evidence
}
