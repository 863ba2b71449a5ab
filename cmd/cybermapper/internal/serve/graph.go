package serve

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/graph"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// refreshPatience is how long a request waits for a graph that is brought up to date. What is not done then goes on.
const refreshPatience = 3 * time.Second

// A refresh brings the graph of a job up to date.
type refresh struct {
	mu      sync.Mutex    // guards the following
	ended   chan struct{} // closed when it has ended; nil before the first
	running bool
	read    int // pages so far
	err     error
}

// A graphState is what a page says of the graph that it was made from.
type graphState struct {
	Job     string
	Back    string // the page to come back to
	None    bool   // there is no graph yet
	Running bool
	Read    int // pages so far
	Problem string
}

// graphState says how the graph of the job stands.
func (j *shown) graphState() graphState {
	j.graph.mu.Lock()
	defer j.graph.mu.Unlock()
	v := graphState{Job: j.name, Running: j.graph.running, Read: j.graph.read}
	if e := j.graph.err; e != nil && !v.Running {
		v.Problem = "It could not be brought up to date: " + say.Printable(e.Error())
	}
	return v
}

// withGraph lets do use the graph of the job, if there is one, and says how it stands.
func (j *shown) withGraph(ctx context.Context, do func(*graph.Graph) error) (v graphState, err error) {
	v = j.graphState()
	g, err := graph.View(ctx, j.dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, graph.ErrUnusable) {
		v.None = true
		return v, nil
	}
	if err != nil {
		return v, err
	}
	err = graph.Discard(j.dir, errors.Join(do(g), g.Close()))
	if errors.Is(err, graph.ErrUnusable) {
		v.None = true
		return v, nil
	}
	return v, err
}

// refreshGraph has the graph of a job take in what is new, and goes back to the page that asked for it.
func (s *Server) refreshGraph(w http.ResponseWriter, r *http.Request, j *shown) {
	ended := s.startRefresh(j)
	select {
	case <-ended:
	case <-time.After(refreshPatience):
	case <-r.Context().Done():
	}
	back := "/care"
	if r.PostFormValue("back") == "/map" {
		back = "/map"
	}
	http.Redirect(w, r, back+"?job="+url.QueryEscape(j.name), http.StatusSeeOther)
}

// startRefresh has the graph of a job brought up to date, unless somebody is at it, and returns what is closed at the end.
func (s *Server) startRefresh(j *shown) <-chan struct{} {
	f := &j.graph
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running || s.ctx.Err() != nil {
		return f.ended
	}
	ended := make(chan struct{})
	f.running, f.read, f.err, f.ended = true, 0, nil, ended
	s.working.Go(func() {
		defer close(ended)
		err := f.run(s.ctx, j.dir)
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.running, f.err = false, err; err != nil {
			s.o.Log.Warn("graph not brought up to date", zap.String("job", j.name), zap.Error(err))
		}
	})
	return ended
}

func (f *refresh) run(ctx context.Context, dir string) error {
	g, err := graph.Open(ctx, dir)
	if err != nil {
		return err
	}
	err = g.Sync(ctx, func(n int) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.read = n
	})
	return errors.Join(err, g.Close())
}
