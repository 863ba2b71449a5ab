package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/PuerkitoBio/goquery"
)

// bare gets every URL and looks for its links: what a crawler does at least.
func bare(ctx context.Context, list io.Reader, workers int) error {
	return getAll(ctx, list, workers, get)
}

// keep gets every URL and writes what came to a file in a folder for its host: what keeping pages costs at least, without a look at
// them.
func keep(ctx context.Context, list io.Reader, workers int) error {
	return getAll(ctx, list, workers, save)
}

// getAll hands every URL of a list to a function, in so many goroutines.
func getAll(ctx context.Context, list io.Reader, workers int, get getter) error {
	hosts := map[string]bool{}
	var urls []string
	for lines := bufio.NewScanner(list); lines.Scan(); {
		u, err := url.Parse(lines.Text())
		if err != nil {
			return err
		}
		hosts[u.Host] = true
		urls = append(urls, lines.Text())
	}
	if workers == 0 {
		workers = max(len(hosts), 8)
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConns: 2 * workers, MaxIdleConnsPerHost: workers}}
	work := make(chan string)
	var pages, bytes, links atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for u := range work {
				n, found, err := get(ctx, client, u)
				if err == nil {
					pages.Add(1)
					bytes.Add(n)
					links.Add(int64(found))
				}
			}
		})
	}
	for _, u := range urls {
		work <- u
	}
	close(work)
	wg.Wait()
	fmt.Println(pages.Load(), bytes.Load(), links.Load())
	return nil
}

// A getter gets a page and returns its bytes, and how many links it has.
type getter func(ctx context.Context, client *http.Client, u string) (n int64, links int, err error)

func ask(ctx context.Context, client *http.Client, u string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
	if err != nil {
		return nil, err
	}
	return client.Do(req)
}

func save(ctx context.Context, client *http.Client, u string) (n int64, links int, err error) {
	resp, err := ask(ctx, client, u)
	if err != nil {
		return 0, 0, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, 0, err
	}
	name := filepath.Join(resp.Request.URL.Host, filepath.FromSlash(resp.Request.URL.Path))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return 0, 0, err
	}
	return int64(len(body)), 0, os.WriteFile(name, body, 0o644)
}

func get(ctx context.Context, client *http.Client, u string) (n int64, links int, err error) {
	resp, err := ask(ctx, client, u)
	if err != nil {
		return 0, 0, err
	}
	defer resp.Body.Close()
	body := &counter{r: resp.Body}
	doc, err := goquery.NewDocumentFromReader(body)
	if err != nil {
		return 0, 0, err
	}
	doc.Find("a[href]").Each(func(_ int, s *goquery.Selection) {
		if _, ok := s.Attr("href"); ok {
			links++
		}
	})
	return body.n, links, nil
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
