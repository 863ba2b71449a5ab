package browsertest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"
)

// A View is how a page is looked at.
type View struct {
	Width, Height int  // in CSS pixels; default 1280 × 900
	Dark          bool // prefers-color-scheme: dark
	NoScript      bool // JavaScript is off; Eval still works
}

// A Page is a page in a tab of its own. It is safe for concurrent use.
type Page struct {
	browser *Browser
	session string
	loaded  chan struct{} // closed at the load event
	once    sync.Once

	mu         sync.Mutex // guards the following
	complaints []string
	requests   []string
}

// Open loads url in a new tab and waits for its load event.
func (b *Browser) Open(t testing.TB, url string, v View) *Page {
	t.Helper()
	p := &Page{browser: b, loaded: make(chan struct{})}
	var target struct {
		ID string `json:"targetId"`
	}
	var session struct {
		ID string `json:"sessionId"`
	}
	must(t, b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target))
	must(t, b.call("", "Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}, &session))
	p.session = session.ID
	b.mu.Lock()
	b.pages[p.session] = p
	b.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		p.do(t, domain+".enable", nil, nil)
	}
	if v.Width == 0 {
		v.Width, v.Height = 1280, 900
	}
	p.do(t, "Emulation.setDeviceMetricsOverride", map[string]any{
		"width": v.Width, "height": v.Height, "deviceScaleFactor": 1, "mobile": v.Width < 600,
	}, nil)
	p.do(t, "Emulation.setScriptExecutionDisabled", map[string]any{"value": v.NoScript}, nil)
	p.Dark(t, v.Dark)
	p.do(t, "Page.navigate", map[string]any{"url": url}, nil)
	select {
	case <-p.loaded:
	case <-time.After(patience):
		t.Fatalf("%s has not loaded in %v", url, patience)
	}
	return p
}

// Dark lets the reader of the page prefer dark colours, or light ones.
func (p *Page) Dark(t testing.TB, dark bool) {
	t.Helper()
	scheme := map[bool]string{true: "dark", false: "light"}[dark]
	p.do(t, "Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}},
	}, nil)
}

// Print shows the page as it is printed.
func (p *Page) Print(t testing.TB) {
	t.Helper()
	p.do(t, "Emulation.setEmulatedMedia", map[string]any{"media": "print"}, nil)
}

// Eval evaluates a JavaScript expression, waits for it if it is a promise, and puts its value into result, which may be nil.
func (p *Page) Eval(t testing.TB, expression string, result any) {
	t.Helper()
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text string `json:"text"`
			Of   struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	p.do(t, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &answer)
	if e := answer.Exception; e != nil {
		t.Fatalf("%s: %s %s", expression, e.Text, e.Of.Description)
	}
	if result != nil {
		if err := json.Unmarshal(answer.Result.Value, result); err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
	}
}

// Screenshot writes a picture of the whole page to a PNG file.
func (p *Page) Screenshot(t testing.TB, file string) {
	t.Helper()
	var shot struct {
		Data []byte `json:"data"`
	}
	p.do(t, "Page.captureScreenshot", map[string]any{"captureBeyondViewport": true, "format": "png"}, &shot)
	if err := os.WriteFile(file, shot.Data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Complaints are errors and warnings so far: exceptions, what scripts wrote to the console, what the browser has logged, among that
// every violation of a Content-Security-Policy.
func (p *Page) Complaints() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.complaints)
}

// Requests are the URLs that the page has asked for, itself first.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// hear notes an event.
func (p *Page) hear(method string, params json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch method {
	case "Page.loadEventFired":
		p.once.Do(func() { close(p.loaded) })
	case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded":
		p.complaints = append(p.complaints, fmt.Sprintf("%s %s", method, params))
	case "Network.requestWillBeSent":
		var sent struct {
			Request struct {
				URL string `json:"url"`
			} `json:"request"`
		}
		if err := json.Unmarshal(params, &sent); err != nil {
			p.complaints = append(p.complaints, err.Error())
		}
		p.requests = append(p.requests, sent.Request.URL)
	}
}

// do sends a command for the page.
func (p *Page) do(t testing.TB, method string, params, result any) {
	t.Helper()
	must(t, p.browser.call(p.session, method, params, result))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
