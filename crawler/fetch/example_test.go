package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/cybermapper/cybermapper/crawler/fetch"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, "a promising start") // and then nothing more
	}))
	defer server.Close()

	careful := fetch.New(fetch.Options{UserAgent: "cybermapper/1.0 (+https://operator.example/bot)"})
	defer careful.Close()
	_, err := careful.Get(context.Background(), fetch.Request{URL: server.URL})
	var e *fetch.Error
	if errors.As(err, &e) {
		fmt.Println(e.Kind, e.HostFailure())
	}

	trusting := fetch.New(fetch.Options{AllowPrivate: true})
	defer trusting.Close()
	resp, err := trusting.Get(context.Background(), fetch.Request{URL: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Release()
	fmt.Printf("%d %q %s\n", resp.Status, resp.Body, resp.Truncated)
	// Output:
	// forbidden true
	// 200 "a promising start" disconnect
}
