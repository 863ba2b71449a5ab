package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/PuerkitoBio/fetchbot"
	"github.com/PuerkitoBio/goquery"
)

// A bot crawls with fetchbot, as its own example does: robots.txt is obeyed, a map of what was seen in memory, nothing is kept.
type bot struct {
	mu    sync.Mutex // guards seen
	seen  map[string]bool
	hosts map[string]bool

	open  atomic.Int64 // queued and not answered
	ended chan struct{}
	pages atomic.Int64
	bytes atomic.Int64
}

func crawlFetchbot(seeds io.Reader) error {
	log.SetOutput(io.Discard)
	b := &bot{seen: map[string]bool{}, hosts: map[string]bool{}, ended: make(chan struct{})}
	f := fetchbot.New(fetchbot.HandlerFunc(b.handle))
	f.CrawlDelay, f.AutoClose, f.WorkerIdleTTL = 0, false, time.Minute
	f.HttpClient = &http.Client{Transport: &http.Transport{MaxIdleConns: 1000, MaxIdleConnsPerHost: 2}}
	q := f.Start()
	b.open.Add(1)
	var first []string
	for lines := bufio.NewScanner(seeds); lines.Scan(); {
		u, err := url.Parse(lines.Text())
		if err != nil {
			return err
		}
		b.hosts[u.Host] = true
		first = append(first, lines.Text())
	}
	for _, u := range first {
		if err := b.offer(q, u); err != nil {
			return err
		}
	}
	b.settle()
	<-b.ended
	fmt.Println(b.pages.Load(), b.bytes.Load())
	return nil
}

// offer queues a URL that was not seen before.
func (b *bot) offer(q *fetchbot.Queue, u string) error {
	b.mu.Lock()
	seen := b.seen[u]
	b.seen[u] = true
	b.mu.Unlock()
	if seen {
		return nil
	}
	b.open.Add(1)
	_, err := q.SendStringGet(u)
	return err
}

func (b *bot) settle() {
	if b.open.Add(-1) == 0 {
		close(b.ended)
	}
}

func (b *bot) handle(ctx *fetchbot.Context, resp *http.Response, err error) {
	if strings.HasSuffix(ctx.Cmd.URL().Path, "/robots.txt") {
		return
	}
	defer b.settle()
	if err != nil || resp.StatusCode != http.StatusOK {
		return
	}
	body := &counter{r: resp.Body}
	doc, err := goquery.NewDocumentFromReader(body)
	if err != nil {
		return
	}
	b.pages.Add(1)
	b.bytes.Add(body.n)
	doc.Find("a[href]").Each(func(_ int, s *goquery.Selection) {
		href, _ := s.Attr("href")
		u, err := ctx.Cmd.URL().Parse(href)
		if err != nil {
			return
		}
		u.Fragment = ""
		if !b.hosts[u.Host] {
			return
		}
		if err := b.offer(ctx.Q, u.String()); err != nil {
			return
		}
	})
}
