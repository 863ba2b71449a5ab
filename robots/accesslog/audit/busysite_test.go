package audit_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// Who visits the busy site: people and robots, of whom few come often and most seldom.
const (
	clients     = 100_000
	robotAgents = 60  // product tokens, each from robotClients addresses
	peopleHave  = 400 // User-Agents
	robotsHave  = 5   // of a hundred clients
	articles    = 50_000
	assetFiles  = 300
)

// A busySite is the access log of a site, made while it is read; the same each time.
type busySite struct {
	lines, next int
	once        bool // no client comes twice, until all have come
	rng         *rand.Rand
	client      *rand.Zipf
	article     *rand.Zipf
	rest        []byte
	buf         []byte
}

// newBusySite returns the log of that many lines.
func newBusySite(lines int) *busySite {
	rng := rand.New(rand.NewPCG(1, 2))
	return &busySite{
		lines: lines, rng: rng,
		client: rand.NewZipf(rng, 1.1, 50, clients-1), article: rand.NewZipf(rng, 1.2, 20, articles-1),
	}
}

func (s *busySite) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.next == s.lines {
			return 0, io.EOF
		}
		s.rest = s.line(s.next)
		s.next++
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func (s *busySite) line(i int) []byte {
	c := i * 7919 % clients
	if !s.once {
		c = int(s.client.Uint64())
	}
	isRobot := c%100 < robotsHave
	at := start.Add(time.Duration(i)*50*time.Millisecond - time.Duration(s.rng.IntN(3000))*time.Millisecond)
	b := fmt.Appendf(s.buf[:0], "%d.%d.%d.%d - - ", 1+c%223, c*31%256, c/256%256, c%256)
	b = at.AppendFormat(b, "[02/Jan/2006:15:04:05 -0700]")
	b = append(b, ` "GET `...)
	b = s.target(b, isRobot)
	b = fmt.Appendf(b, ` HTTP/1.1" %d %d "-" "`, s.status(), 500+s.rng.IntN(40_000))
	if isRobot {
		b = fmt.Appendf(b, "Mozilla/5.0 (compatible; Robot%c%cbot/2.%d; +http://robots.example/bot.html)", 'a'+c/100%robotAgents/10, 'a'+c/100%10, c%3)
	} else {
		b = fmt.Appendf(b, "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.0.0 Safari/537.36", 100+c%peopleHave)
	}
	s.buf = append(b, "\"\n"...)
	return s.buf
}

// target appends what is asked for. People get three files for a page; some pages are closed to robots.
func (s *busySite) target(b []byte, isRobot bool) []byte {
	article := s.article.Uint64()
	switch n := s.rng.IntN(1000); {
	case isRobot && n < 10:
		return append(b, "/robots.txt"...)
	case n < 12:
		return fmt.Appendf(b, "/private/%d", article)
	case isRobot || n < 250:
		return fmt.Appendf(b, "/articles/%d/a-rather-usual-path.html?page=%d", article, n%7)
	}
	return fmt.Appendf(b, "/static/assets/file-%d%s", s.rng.IntN(assetFiles), []string{".css", ".js", ".png", ".woff2"}[s.rng.IntN(4)])
}

// status returns how the site answers.
func (s *busySite) status() int {
	switch n := s.rng.IntN(100); {
	case n < 5:
		return 304
	case n < 8:
		return 404
	case n < 10:
		return 301
	}
	return 200
}
