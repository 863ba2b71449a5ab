package robotscmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/sitemap"
	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/robots/lint"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// maxSiteURLs bounds how many known URLs a file is held against, maxSiteBytes the list that they come from.
const (
	maxSiteURLs  = 200_000
	maxSiteBytes = 256 << 20
)

// readSiteURLs reads the URLs that a site is known to have: one per line, a sitemap, the pages.jsonl of a crawl, or the
// directory of a crawl, with what robots.txt kept it from. Those of other hosts than host are left out, unless it is empty.
func readSiteURLs(cmd *cobra.Command, name, host string) ([]lint.URL, error) {
	dir := ""
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		dir = filepath.Join(name, job.LedgerDir)
		name = filepath.Join(name, job.PagesDir, "pages.jsonl")
	}
	data, err := cli.ReadInput(cmd, name, maxSiteBytes)
	if err != nil {
		return nil, err
	}
	base, err := frontier.ParseURL("http://site.invalid/")
	if err != nil {
		return nil, err
	}
	list := siteURLs{base: base, host: host}
	err = list.read(data)
	if err == nil && dir != "" {
		err = list.readRefused(dir)
	}
	if err == nil && len(list.urls) == 0 {
		err = errors.New("holds no URL of the site")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list.urls, nil
}

// siteURLs collects URLs.
type siteURLs struct {
	base frontier.URL
	host string // host[:port] of the site; empty for any
	urls []lint.URL
}

// read reads any of the lists of URLs that are files.
func (s *siteURLs) read(data []byte) error {
	switch start := bytes.TrimLeft(data, "\ufeff \t\r\n"); {
	case slices.ContainsFunc([]string{"<", "\x1f\x8b", "\xff\xfe", "\xfe\xff"}, // gzip, and UTF-16, of text too
		func(mark string) bool { return bytes.HasPrefix(start, []byte(mark)) }):
		return s.readSitemap(data)
	case bytes.HasPrefix(start, []byte("{")):
		return s.readPages(start)
	default:
		s.readLines(start)
		return nil
	}
}

// add adds a URL or a path. What is neither is skipped, and so are URLs of other hosts.
func (s *siteURLs) add(ref string, noindex bool) {
	u, err := resolveAsked(s.base, strings.TrimSpace(ref))
	if err != nil || len(s.urls) == maxSiteURLs || s.host != "" && u.Host() != s.base.Host() && u.Host() != s.host {
		return
	}
	s.urls = append(s.urls, lint.URL{Path: u.PathQuery(), NoIndex: noindex})
}

// readSitemap reads the locations of a sitemap; of an index of sitemaps there are none.
func (s *siteURLs) readSitemap(data []byte) error {
	o := sitemap.Options{MaxEntries: maxSiteURLs, MaxBytes: maxSiteBytes}
	summary, err := sitemap.Read(bytes.NewReader(data), o, func(e sitemap.Entry) error {
		if e.Sitemap {
			return errors.New("is an index of sitemaps: give one of the sitemaps that it names")
		}
		loc := strings.TrimSpace(e.Loc)
		if strings.HasPrefix(loc, "//") { // a host without its scheme: sitemaps hold URLs
			loc = "http:" + loc
		}
		s.add(loc, false)
		return nil
	})
	if err == nil && summary.Ended != "" && summary.Ended != sitemap.TooManyURLs {
		err = fmt.Errorf("read sitemap: %s", summary.Detail)
	}
	return err
}

// readPages reads the list of pages of a crawl.
func (s *siteURLs) readPages(data []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxCaseLine)
	for number := 1; lines.Scan(); number++ {
		var page struct {
			URL        string   `json:"url"`
			Directives []string `json:"directives"`
		}
		if err := json.Unmarshal(lines.Bytes(), &page); err != nil {
			return fmt.Errorf("line %d: not a page: %w", number, err)
		}
		s.add(page.URL, slices.Contains(page.Directives, "noindex"))
	}
	return lines.Err()
}

// readRefused reads from the ledger of a crawl which URLs robots.txt kept it from: no page is there of what a rule closed.
func (s *siteURLs) readRefused(dir string) error {
	refused := ledger.ReadOptions{Types: []ledger.Type{ledger.Refusal}, Gates: []string{string(crawler.GateRobots)}}
	for r, err := range ledger.ReadSound(dir, refused) {
		if err != nil {
			return fmt.Errorf("read what was refused: %w", err)
		}
		s.add(r.URL, false)
	}
	return nil
}

// readLines reads one URL or path per line; lines that begin with # are skipped.
func (s *siteURLs) readLines(data []byte) {
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(line))
		if text != "" && text[0] != '#' {
			s.add(text, false)
		}
	}
}
