package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/PuerkitoBio/goquery"
)

// bare gets every URL and looks for its links: what a crawler does at least.
func bare(ctx context.Context, list io.Reader, workers int) error {
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

func get(ctx context.Context, client *http.Client, u string) (n int64, links int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
	if err != nil {
		return 0, 0, err
	}
	resp, err := client.Do(req)
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
