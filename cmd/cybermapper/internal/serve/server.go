package serve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/htmlreport"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

//go:embed templates/*.tmpl static/* sigma/*
var files embed.FS

const maxWait = 2 * time.Second // of a question that reads much for its turn

// Options are those of New. Zero means the default; negative means no limit.
type Options struct {
	Jobs    []string      // directories; at least one
	Hosts   []string      // names, besides loopback ones and addresses, under which the server may be asked
	Token   string        // that a visitor must know; empty lets everybody in
	TLS     bool          // visitors come by HTTPS, here or at a proxy: the cookie is for nothing else
	Busy    int           // questions that read much, at once; default 8
	MaxTime time.Duration // of such a question when it has its turn; default 10s
	MaxFile time.Duration // of one whose answer is a file of any size, as fast as who asks takes it; default 10m
	Viewers int           // live views at once; default 64
	Log     *zap.Logger   // default none
}

func (o *Options) setDefaults() {
	o.Busy = cmp.Or(o.Busy, 8)
	o.Viewers = cmp.Or(o.Viewers, 64)
	o.MaxTime = cmp.Or(o.MaxTime, 10*time.Second)
	o.MaxFile = cmp.Or(o.MaxFile, 10*time.Minute)
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
}

// A Server shows jobs. It is safe for concurrent use.
type Server struct {
	o       Options
	jobs    []*shown
	pages   *template.Template
	guard   *guard
	busy    places
	viewers places
	handler http.Handler
	ctx     context.Context // of work that goes on when a request has been answered
	end     context.CancelFunc
	working sync.WaitGroup
}

// New returns a Server for jobs that exist. Close it when it serves no more.
func New(o Options) (*Server, error) {
	o.setDefaults()
	s := &Server{o: o, busy: newPlaces(o.Busy), viewers: newPlaces(o.Viewers)}
	s.ctx, s.end = context.WithCancel(context.Background())
	names := map[string]bool{}
	for _, dir := range o.Jobs {
		if _, err := job.KindOf(dir); err != nil {
			return nil, err
		}
		path, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("serve %s: %w", dir, err)
		}
		name := filepath.Base(path)
		for n := 2; names[name]; n++ {
			name = fmt.Sprintf("%s-%d", filepath.Base(path), n)
		}
		names[name] = true
		s.jobs = append(s.jobs, &shown{name: name, dir: path})
	}
	if len(s.jobs) == 0 {
		return nil, errors.New("serve: no job")
	}
	var err error
	if s.guard, err = newGuard(o); err != nil {
		return nil, err
	}
	s.pages, err = template.New("").Funcs(template.FuncMap{
		"count": say.Count[int64], "number": say.Count[int], "safe": say.Printable, "readable": say.URL,
		"moment": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
		"day":    func(t time.Time) string { return t.UTC().Format(time.DateOnly) },
	}).ParseFS(files, "templates/*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	s.handler = s.guard.protect(s.routes())
	return s, nil
}

// Close ends what is worked on, and releases what the jobs have open.
func (s *Server) Close() error {
	s.end()
	s.working.Wait()
	var errs []error
	for _, j := range s.jobs {
		errs = append(errs, j.close())
	}
	return errors.Join(errs...)
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.about(s.searchPage))
	mux.HandleFunc("GET /cached", s.about(s.cachedPage))
	mux.HandleFunc("GET /copy", s.about(s.copyOf))
	mux.HandleFunc("GET /live", s.about(s.livePage))
	mux.HandleFunc("GET /live/events", s.about(s.liveEvents))
	mux.HandleFunc("GET /explain", s.about(s.explainPage))
	mux.HandleFunc("GET /site", s.about(s.sitePage))
	mux.HandleFunc("GET /ledger", s.about(s.ledgerPage))
	mux.HandleFunc("GET /api/ledger", s.about(s.apiLedger))
	mux.HandleFunc("GET /care", s.about(s.carePage))
	mux.HandleFunc("GET /care.csv", s.about(s.careCSV))
	mux.HandleFunc("GET /map", s.about(s.mapPage))
	mux.HandleFunc("GET /map.gexf", s.about(s.mapFile))
	mux.HandleFunc("GET /map.graphml", s.about(s.mapFile))
	mux.HandleFunc("GET /api/map", s.about(s.apiMap))
	mux.HandleFunc("POST /graph", s.about(s.refreshGraph))
	mux.HandleFunc("GET /submit", s.about(s.submitPage))
	mux.HandleFunc("POST /submit", s.about(s.submit))
	mux.HandleFunc("POST /opt-out", s.about(s.optOut))

	mux.HandleFunc("GET /api/jobs", s.apiJobs)
	mux.HandleFunc("GET /api/status", s.about(s.apiStatus))
	mux.HandleFunc("GET /api/search", s.about(s.apiSearch))
	mux.HandleFunc("GET /api/explain", s.about(s.apiExplain))
	mux.HandleFunc("GET /api/site", s.about(s.apiSite))
	mux.HandleFunc("GET /api/care", s.about(s.apiCare))
	mux.HandleFunc("GET /metrics", s.metrics)
	mux.HandleFunc("GET /readyz", s.ready)
	mux.HandleFunc("GET /opensearch.xml", s.about(s.openSearch))

	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /sign-in", s.signInPage)
	mux.HandleFunc("POST /sign-in", s.signIn)
	mux.HandleFunc("POST /sign-out", s.signOut)
	mux.HandleFunc("GET /style.css", asset("text/css; charset=utf-8", htmlreport.Style()+embedded("static/style.css")))
	mux.HandleFunc("GET /page.js", asset("text/javascript; charset=utf-8", embedded("static/page.js")))
	mux.HandleFunc("GET /map.js", asset("text/javascript; charset=utf-8", embedded("static/map.js")))
	mux.HandleFunc("GET /sigma.js", asset("text/javascript; charset=utf-8", "/*!\n"+embedded("sigma/LICENSE")+"*/\n"+
		embedded("sigma/graphology.umd.min.js")+"\n"+embedded("sigma/sigma.min.js")))
	mux.HandleFunc("GET /favicon.svg", asset("image/svg+xml", embedded("static/favicon.svg")))
	mux.HandleFunc("GET /robots.txt", asset("text/plain; charset=utf-8", "User-agent: *\nDisallow: /\n"))
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, http.StatusNotFound, "There is no such page here.")
	})
	return mux
}

func embedded(name string) string {
	data, err := files.ReadFile(name)
	if err != nil {
		panic(err) // cannot happen: it is embedded
	}
	return string(data)
}

// asset answers with a text of ours. Browsers keep it, and ask whether it is still the same.
func asset(typ, text string) http.HandlerFunc {
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(text)))
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", typ)
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(text))
	}
}

// about gives a handler the job that the request is about: the one that it names, or the first.
func (s *Server) about(handle func(http.ResponseWriter, *http.Request, *shown)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Query().Get("job")
		for _, j := range s.jobs {
			if name == "" || name == j.name {
				handle(w, r, j)
				return
			}
		}
		s.fail(w, r, http.StatusNotFound, "There is no job "+say.Printable(name)+" here.")
	}
}

// much lets a question that reads much be worked on, for at most so long, when few others are. Call done at its end.
func (s *Server) much(w http.ResponseWriter, r *http.Request, most time.Duration) (ctx context.Context, done func(), ok bool) {
	leave, ok := s.busy.await(r.Context(), maxWait)
	if !ok {
		w.Header().Set("Retry-After", "2")
		s.fail(w, r, http.StatusServiceUnavailable, "Too many questions at once. Please ask again in a moment.")
		return nil, nil, false
	}
	ctx, cancel := r.Context(), context.CancelFunc(func() {})
	if most > 0 {
		ctx, cancel = context.WithTimeout(ctx, most)
	}
	return ctx, func() { cancel(); leave() }, true
}

// A view is what every page is made of.
type view struct {
	Title  string
	Here   string // the part of the navigation that it belongs to
	Job    string
	Jobs   []string
	SignIn bool // visitors sign in
	Data   any
}

// show answers with a page.
func (s *Server) show(w http.ResponseWriter, r *http.Request, status int, page string, v view) {
	v.SignIn = s.o.Token != ""
	for _, j := range s.jobs {
		v.Jobs = append(v.Jobs, j.name)
	}
	v.Job = cmp.Or(v.Job, s.jobs[0].name)
	var text strings.Builder
	if err := s.pages.ExecuteTemplate(&text, page, v); err != nil {
		s.o.Log.Error("page not made", zap.String("page", page), zap.Error(err))
		http.Error(w, "This page could not be made; the log says why.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		fmt.Fprint(w, text.String())
	}
}

// fail answers with what is wrong: a page, or JSON to who asked for that.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, status int, text string) {
	if isAPI(r) {
		answerJSON(w, status, map[string]string{"error": text})
		return
	}
	s.show(w, r, status, "error.tmpl", view{Title: http.StatusText(status), Data: text})
}

// broken answers that something could not be read.
func (s *Server) broken(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		s.fail(w, r, http.StatusServiceUnavailable, "This takes longer than a page may. The command line has no such limit.")
	case errors.Is(err, context.Canceled):
	default:
		s.o.Log.Warn("request failed", zap.String("path", r.URL.Path), zap.Error(err))
		s.fail(w, r, http.StatusInternalServerError, say.Printable(err.Error()))
	}
}

// places bounds how many may be somewhere at once; nil is no bound.
type places chan struct{}

func newPlaces(n int) places {
	if n < 0 {
		return nil
	}
	return make(places, n)
}

// take takes a place, if one is free.
func (p places) take() (leave func(), ok bool) {
	if p == nil {
		return func() {}, true
	}
	select {
	case p <- struct{}{}:
		return func() { <-p }, true
	default:
		return nil, false
	}
}

// await takes a place when one is free, if that is so before the wait or ctx ends. A negative wait has no end.
func (p places) await(ctx context.Context, wait time.Duration) (leave func(), ok bool) {
	if leave, ok := p.take(); ok {
		return leave, true
	}
	if wait >= 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, wait)
		defer cancel()
	}
	select {
	case p <- struct{}{}:
		return func() { <-p }, true
	case <-ctx.Done():
		return nil, false
	}
}
