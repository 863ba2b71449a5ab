package webtest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// takeOver returns a handler that answers with raw bytes: act writes them, then the connection is closed. What act
// wrote is on its way before that.
func takeOver(act func(w *bufio.Writer, c net.Conn)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler) // HTTP/2: the stream is reset
		}
		defer c.Close()
		act(rw.Writer, c)
		rw.Flush()
	})
}

// awaitHangup waits until the client hangs up or the web is closed.
func awaitHangup(c net.Conn) { io.Copy(io.Discard, c) }

// Raw answers with these bytes and closes the connection.
func Raw(response string) http.Handler {
	return takeOver(func(w *bufio.Writer, _ net.Conn) { w.WriteString(response) })
}

// Drop closes the connection without an answer.
func Drop() http.Handler { return Raw("") }

// Garbage answers with bytes that are no HTTP response.
func Garbage() http.Handler {
	return Raw("\x16\x03\x01 220 mail.example ESMTP ready\r\n\x00\xff\x00\xff\r\n\r\n")
}

// Reset resets the connection after n bytes of a body of which more were announced; n < 0 resets it without an answer. In
// memory the connection is closed instead.
func Reset(n int) http.Handler {
	return takeOver(func(w *bufio.Writer, c net.Conn) {
		if n >= 0 {
			head(w, "Content-Length: "+strconv.Itoa(2*n+1000))
			filler(w, n)
			w.Flush()
		}
		linger(c)
	})
}

// linger makes the close of c a reset.
func linger(c net.Conn) {
	for {
		if l, ok := c.(interface{ SetLinger(int) error }); ok {
			l.SetLinger(0)
			return
		}
		u, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return
		}
		c = u.NetConn()
	}
}

// head writes a response head of status 200 with the fields given.
func head(w io.Writer, fields ...string) {
	io.WriteString(w, "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n")
	for _, f := range fields {
		io.WriteString(w, f+"\r\n")
	}
	io.WriteString(w, "\r\n")
}

const fillerLine = "<p>All work and no play makes the crawler a dull robot.</p>\n"

// filler writes n bytes of plain HTML.
func filler(w io.Writer, n int) {
	for ; n > len(fillerLine); n -= len(fillerLine) {
		if _, err := io.WriteString(w, fillerLine); err != nil {
			return
		}
	}
	io.WriteString(w, fillerLine[:max(n, 0)])
}

// Stall takes the request and never answers.
func Stall() http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
}

// StallBody sends the head and this part of a body of which more was announced, then nothing.
func StallBody(part string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(part)+1000))
		io.WriteString(w, part)
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
}

// Delay answers with h after d.
func Delay(d time.Duration, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if sleep(r.Context(), d) {
			h.ServeHTTP(w, r)
		}
	})
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Drip sends body one byte at a time, one every interval.
func Drip(body string, every time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		for i := range len(body) {
			if _, err := io.WriteString(w, body[i:i+1]); err != nil {
				return
			}
			http.NewResponseController(w).Flush()
			if !sleep(r.Context(), every) {
				return
			}
		}
	})
}

// SlowHeader sends a response head for ever, one field every interval.
func SlowHeader(every time.Duration) http.Handler {
	return endlessHead(func(i int) string { return fmt.Sprintf("X-%d: slow\r\n", i) }, every)
}

// EndlessHeader sends header fields for ever, as fast as they are read.
func EndlessHeader() http.Handler {
	return endlessHead(func(i int) string { return fmt.Sprintf("X-%d: %s\r\n", i, strings.Repeat("x", 1000)) }, 0)
}

func endlessHead(field func(int) string, every time.Duration) http.Handler {
	return takeOver(func(w *bufio.Writer, c net.Conn) {
		ctx, hangup := context.WithCancel(context.Background())
		var watch sync.WaitGroup
		watch.Go(func() { awaitHangup(c); hangup() })
		defer func() { c.Close(); watch.Wait() }()
		w.WriteString("HTTP/1.1 200 OK\r\n")
		for i := 0; ; i++ {
			w.WriteString(field(i))
			if w.Flush() != nil || every > 0 && !sleep(ctx, every) {
				return
			}
		}
	})
}

// BigHeader answers with header fields of n bytes in all.
func BigHeader(n int) http.Handler {
	fields := make(map[string]string)
	for i := range n/1000 + 1 {
		fields["X-Big-"+strconv.Itoa(i)] = strings.Repeat("x", 1000)
	}
	return Page{Header: fields, Body: "small"}
}

// Hints sends n interim responses (103) before the answer of h. HTTP/1.1 only.
func Hints(n int, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range n {
			w.Header().Set("Link", "</style.css>; rel=preload")
			w.WriteHeader(http.StatusEarlyHints)
		}
		w.Header().Del("Link")
		h.ServeHTTP(w, r)
	})
}

// EndlessBody sends HTML for ever, as fast as it is read.
func EndlessBody() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		lines := []byte(strings.Repeat(fillerLine, 512))
		for r.Context().Err() == nil {
			if _, err := w.Write(lines); err != nil {
				return
			}
		}
	})
}

// EndlessPages answers every path with a page that links to n deeper ones: an infinite space.
func EndlessPages(n int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		base := strings.TrimSuffix(r.URL.Path, "/")
		fmt.Fprintf(w, "<title>%s</title>", base)
		for i := range n {
			fmt.Fprintf(w, "<a href=\"%s/%d\">%d</a>\n", base, i, i)
		}
	})
}

// Cut announces a longer body than part, sends part and closes the connection.
func Cut(part string) http.Handler {
	return takeOver(func(w *bufio.Writer, _ net.Conn) {
		head(w, "Content-Length: "+strconv.Itoa(len(part)+1000))
		w.WriteString(part)
	})
}

// CutChunked sends part as a chunk and closes the connection without the last chunk.
func CutChunked(part string) http.Handler {
	return takeOver(func(w *bufio.Writer, _ net.Conn) {
		head(w, "Transfer-Encoding: chunked")
		fmt.Fprintf(w, "%x\r\n%s\r\n", len(part), part)
	})
}

// BadChunk sends part as a chunk and then one whose size is no number.
func BadChunk(part string) http.Handler {
	return takeOver(func(w *bufio.Writer, _ net.Conn) {
		head(w, "Transfer-Encoding: chunked")
		fmt.Fprintf(w, "%x\r\n%s\r\nno size\r\n%s\r\n0\r\n\r\n", len(part), part, part)
	})
}

// Abort sends part and gives up: over HTTP/1.1 the connection closes, over HTTP/2 the stream is reset.
func Abort(part string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, part)
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
}

// WrongLength announces a length of n and sends body, longer or shorter, on a connection that stays open until the client
// hangs up.
func WrongLength(n int, body string) http.Handler {
	return takeOver(func(w *bufio.Writer, c net.Conn) {
		head(w, "Content-Length: "+strconv.Itoa(n))
		w.WriteString(body)
		w.Flush()
		awaitHangup(c)
	})
}

// NoLength sends body without a length; its end is the end of the connection (HTTP/1.0 style).
func NoLength(body string) http.Handler {
	return takeOver(func(w *bufio.Writer, _ net.Conn) {
		head(w, "Connection: close")
		w.WriteString(body)
	})
}

// NoBody answers 200 with an empty body.
func NoBody() http.Handler { return Page{} }

// HugeRobots answers with a robots.txt of about n bytes: a rule that disallows /first at its start, comments, and one that
// disallows /last at its end.
func HugeRobots(n int) http.Handler {
	var b bytes.Buffer
	b.WriteString("User-agent: *\nDisallow: /first\n")
	for b.Len() < n {
		b.WriteString("# this line says nothing, at some length, like so many robots.txt files that grew over the years\n")
	}
	b.WriteString("Disallow: /last\n")
	return Page{Type: "text/plain", Body: b.String()}
}

// RedirectLoop redirects through n different URLs under the path it is mounted at, round and round.
func RedirectLoop(n int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i, _ := strconv.Atoi(r.URL.Query().Get("hop"))
		http.Redirect(w, r, fmt.Sprintf("%s?hop=%d", r.URL.Path, (i+1)%max(n, 1)), http.StatusFound)
	})
}

// Busy answers status (429 or 503, or another one) with Retry-After, n times, then with h.
func Busy(n, status int, retryAfter string, h http.Handler) http.Handler {
	turns := make(chan struct{}, n)
	for range n {
		turns <- struct{}{}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-turns:
			if retryAfter != "" {
				w.Header().Set("Retry-After", retryAfter)
			}
			http.Error(w, http.StatusText(status), status)
		default:
			h.ServeHTTP(w, r)
		}
	})
}
