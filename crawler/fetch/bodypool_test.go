package fetch

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

func TestBodyPool(t *testing.T) {
	for _, size := range []int64{0, 1, bodyStep - 1, bodyStep, bodyStep + 1, 20_000, smallChunk - 1, smallChunk, smallChunk + 1, 1 << 20} {
		p := new(bodyPool)
		again := false
		for range 100 { // a sync.Pool may lose what it is given
			b := p.take(size)
			if len(b) != 0 || int64(cap(b)) < size {
				t.Fatalf("take(%d) has %d bytes with room for %d", size, len(b), cap(b))
			}
			b = append(b, make([]byte, size)...)
			p.give(b[:0:cap(b)])
			if next := p.take(size); size > 0 && cap(next) > 0 && &next[:1][0] == &b[0] {
				again = true
			}
		}
		if want := size > 0 && size <= smallChunk; again != want {
			t.Errorf("memory for %d bytes is used again: %v, want %v", size, again, want)
		}
	}
	var none *bodyPool
	none.give(make([]byte, bodyStep))
	new(bodyPool).give(make([]byte, 5000, 20_000)) // of no size that it has
}

// Ensure that bodies that are recycled while others arrive are never seen in another response.
func TestResponse_Recycle(t *testing.T) {
	inMemory(t, Options{}, func(t *testing.T, w *webtest.Web, c *Client) {
		page := func(i int) string { return strings.Repeat(fmt.Sprintf("page %d ", i), 100*(i%50)) }
		var sites []string
		for i := range 100 {
			var h http.Handler = webtest.Page{Body: page(i)}
			switch i % 3 {
			case 1:
				h = webtest.Encoded("gzip", page(i))
			case 2:
				h = webtest.NoLength(page(i))
			}
			sites = append(sites, w.Site(h).URL)
		}
		var visits sync.WaitGroup
		for worker := range 4 {
			visits.Go(func() {
				for n := range 200 {
					i := (worker*37 + n) % len(sites)
					r, err := c.Get(t.Context(), Request{URL: sites[i]})
					if err != nil {
						t.Error(err)
						return
					}
					if !bytes.Equal(r.Body, []byte(page(i))) {
						t.Errorf("page %d: %d bytes, %.40q", i, len(r.Body), r.Body)
					}
					r.Recycle()
					r.Recycle()
					if r.Body != nil {
						t.Errorf("%d bytes after Recycle", len(r.Body))
					}
				}
			})
		}
		visits.Wait()
	})
}
