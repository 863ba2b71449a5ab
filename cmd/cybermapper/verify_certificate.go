package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/guess"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/crawler/verify"
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/storage/checkpoint"
)

// certificatePage is the page for the owner of a site.
//
//go:embed certificate.html
var certificatePage string

// certify proves the promises for one site, and writes what its owner gets if asked to.
func (o *verifyOptions) certify(ctx context.Context, e *evidence, w io.Writer) error {
	c, err := verify.Certify(ctx, e.Job, o.host, o.options())
	if unknown, ok := errors.AsType[*verify.UnknownSiteError](err); ok {
		return cli.UsageError(siteHint(unknown), "the job in %s knows nothing of %s", o.dir, o.host)
	}
	if err == nil && e.Bundle != nil {
		err = comparePage(ctx, e.Bundle, c.Proof)
	}
	if err == nil && len(o.logs) > 0 {
		err = o.compareLog(ctx, e, c)
	}
	if err == nil {
		err = o.writeFiles(ctx, e, c)
	}
	if err != nil {
		return err
	}
	err = cli.Tell(w, o.asJSON, c, func(w io.Writer) { printProof(w, c.Proof) })
	return errors.Join(err, verdictCode(c.Proof.Verdict))
}

// compareLog holds the record against the log of the site.
func (o *verifyOptions) compareLog(ctx context.Context, e *evidence, c *verify.Certificate) (err error) {
	sources, closeAll, err := o.openLogs(o.logs)
	defer func() { err = errors.Join(err, closeAll()) }()
	if err != nil {
		return cli.UsageError("", "--access-log: %w", err)
	}
	if c.Log, err = verify.Compare(ctx, e.Job, c.Site, sources, o.options()); err != nil {
		return fmt.Errorf("--access-log: %w", err)
	}
	c.Proof.With(c.Log)
	return nil
}

// writeFiles writes the page and the bundle for the owner of a site.
func (o *verifyOptions) writeFiles(ctx context.Context, e *evidence, c *verify.Certificate) error {
	if e.view != nil && (o.certificate != "" || o.bundle != "") && !c.Broken() {
		anchor, err := o.anchor(e.Ledger, e.view, int64(c.Proof.Records))
		if err != nil {
			return err
		}
		c.Note(anchor)
		if o.bundle != "" {
			if err := o.writeBundle(ctx, e.Job, c, anchor); err != nil {
				return err
			}
		}
	} else if o.bundle != "" {
		return o.writeBundle(ctx, e.Job, c, checkpoint.Checkpoint{})
	}
	if o.certificate == "" {
		return nil
	}
	page, err := certificateHTML(c, time.Now(), o.language)
	if err != nil {
		return err
	}
	return job.WriteFile(o.certificate, page)
}

// siteHint names the sites that may have been meant.
func siteHint(e *verify.UnknownSiteError) string {
	const few = 5
	var near []string
	for _, known := range e.Known {
		if len(near) < few && (strings.Contains(known, e.Site) || strings.Contains(e.Site, known)) {
			near = append(near, known)
		}
	}
	if len(near) == 0 {
		if word, ok := guess.Word(e.Site, e.Known); ok {
			near = append(near, word)
		}
	}
	if len(near) > 0 {
		return "did you mean " + strings.Join(near, ", ") + "?"
	}
	return fmt.Sprintf("it knows %s: %s", say.Plural(len(e.Known), "site"), strings.Join(e.Known[:min(len(e.Known), few)], ", "))
}

// certificateHTML returns the page for the owner of a site. What was found, noted and set is in English in every language.
func certificateHTML(c *verify.Certificate, now time.Time, in translate.Language) ([]byte, error) {
	functions := template.FuncMap{
		"span": say.Span, "bytes": in.Bytes, "count": func(n int) string { return in.Count(int64(n)) },
		"clock":    func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
		"stamp":    func(t time.Time) string { return stampIn(in, t) },
		"contact":  contactLink,
		"why":      func(a verify.Asked) string { return whyAsked(in, a) },
		"percent":  func(n, of int) int { return n * 100 / max(of, 1) },
		"argument": say.Argument,
	}
	most := 1
	for _, d := range c.Days {
		most = max(most, d.Requests)
	}
	program := strings.TrimSpace(c.Product + " " + strings.Join(programVersions(c.Proof.Terms), ", "))
	return render(certificatePage, in, functions, struct {
		*verify.Certificate
		Now     time.Time
		Records int64
		MostDay int

		Program string
		Signer  string
	}{c, now, int64(c.Proof.Records), most, program, signerOf(c.Proof.Terms)})
}

// stampIn writes a moment in UTC.
func stampIn(in translate.Language, t time.Time) string {
	if in.IsEnglish() {
		return t.UTC().Format("2 January 2006 15:04:05 UTC")
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// whyAsked says what robots.txt had to say to a request, or that it was for robots.txt.
func whyAsked(in translate.Language, a verify.Asked) string {
	switch {
	case a.Line > 0:
		return in.Say("line %d: %s", a.Line, a.Rule)
	case a.Purpose == "robots":
		return in.Say("asked for its rules")
	case a.Rule == string(robots.ReasonRobotsTxt):
		return in.Say("always allowed; asked for as a page")
	}
	return in.Text(say.Because(robots.Verdict{Reason: robots.Reason(a.Rule)}))
}

// programVersions returns the versions of the program that made the runs.
func programVersions(terms []verify.Terms) (versions []string) {
	for _, t := range terms {
		if t.Version != "" && !slices.Contains(versions, t.Version) {
			versions = append(versions, t.Version)
		}
	}
	return versions
}

// signerOf returns the name and fingerprint of the key that the latest run names.
func signerOf(terms []verify.Terms) string {
	for _, t := range slices.Backward(terms) {
		if name, _, ok := strings.Cut(t.Key, "+"); ok {
			return name + ", key " + checkpoint.Fingerprint(t.Key)
		}
	}
	return ""
}

// contactLink returns a contact as a link, where it is one that a browser may follow: a bundle comes from anybody.
func contactLink(contact string) template.HTML {
	target, text := contactURL(contact), template.HTMLEscapeString(contact)
	for _, scheme := range []string{"mailto:", "https://", "http://"} {
		if strings.HasPrefix(strings.ToLower(target), scheme) {
			return template.HTML(`<a href="` + template.HTMLEscapeString(target) + `">` + text + "</a>")
		}
	}
	return template.HTML(text)
}

// contactURL returns a contact as the target of a link.
func contactURL(contact string) string {
	if strings.Contains(contact, "@") && !strings.Contains(contact, "://") && !strings.HasPrefix(contact, "mailto:") {
		return "mailto:" + contact
	}
	return contact
}
