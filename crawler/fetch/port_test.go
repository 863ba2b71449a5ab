package fetch_test

import (
	"errors"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/fetch"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// A page must not make us speak to a mail server: the ports that browsers refuse are not connected to.
func TestGet_RefusesPortsOfOtherServices(t *testing.T) {
	w := webtest.New(t)
	c := newClient(t, w, fetch.Options{AllowPrivate: true})
	for _, url := range []string{"http://127.0.0.1:25/", "https://127.0.0.1:6667/x", "http://mail.example:110/", "http://127.0.0.1:10080/"} {
		e := getError(t, c, url)
		if port, ok := errors.AsType[*fetch.PortError](e); e.Kind != fetch.KindForbidden || !ok || port.Port == "" {
			t.Errorf("Get(%s): %v, want a refusal of the port", url, e)
		}
	}
	for _, port := range []string{"", "80", "443", "8080", "8443", "3000"} {
		if fetch.IsBadPort(port) {
			t.Errorf("port %q is refused", port)
		}
	}
}

// What another origin is told of a page is its origin alone, and nothing of it travels from https to http in the clear.
func TestGet_TellsOtherOriginsNoMoreThanTheOrigin(t *testing.T) {
	w := webtest.New(t)
	s := w.Site(webtest.Pages{})
	c := newClient(t, w, fetch.Options{})
	for from, want := range map[string]string{
		s.URL + "/a?secret=1":              s.URL + "/a?secret=1",
		"http://other.example/a?secret=1":  "http://other.example/",
		"http://u:p@other.example?x#frag":  "http://other.example/",
		"https://other.example/a?secret=1": "",
		"https://" + s.Addr.String() + "/": "",
		"":                                 "",
	} {
		if _, err := c.Get(t.Context(), fetch.Request{URL: s.URL + "/", Referer: from}); err != nil {
			t.Fatal(err)
		}
		hits := s.Hits()
		if got := hits[len(hits)-1].Header.Get("Referer"); got != want {
			t.Errorf("on %s a link: Referer %q, want %q", from, got, want)
		}
	}
}
