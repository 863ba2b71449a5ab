package crawler_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/cybermapper/cybermapper/crawler"
	"github.com/cybermapper/cybermapper/crawler/extract"
	"github.com/cybermapper/cybermapper/frontier"
)

func ExampleRead() {
	u, _ := frontier.ParseURL("http://www.example.org/dir/page.html")
	header := http.Header{"Content-Type": {"text/html"}, "X-Robots-Tag": {"noarchive"}}
	body := []byte(`<title>A page</title><meta name="robots" content="noindex"><a href="next.html">on</a>`)
	r, err := crawler.Read(context.Background(), extract.New(extract.Options{}), "cybermapper", u, header, body)
	fmt.Println(r.Page.Title, r.Directives.Strings(), r.Links(), err)
	// Output: A page [noarchive noindex] [http://www.example.org/dir/next.html] <nil>
}
