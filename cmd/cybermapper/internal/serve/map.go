package serve

import (
	"net/http"
	"strings"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/graph"
)

// A mapView is the site as a picture, and the same in words.
type mapView struct {
	graphState
	Under  string // the part of it that is shown: the beginning of its URLs; empty for all
	Map    *graph.Map
	States []stateRow
	Boxes  []boxRow
}

type stateRow struct {
	Name, Text string
	Count      int
}

type boxRow struct {
	graph.Box
	Refused, Dead int
}

// mapOf reads the map that a request is about.
func (s *Server) mapOf(w http.ResponseWriter, r *http.Request, j *shown) (m *graph.Map, state graphState, ok bool) {
	ctx, done, ok := s.much(w, r, s.o.MaxTime)
	if !ok {
		return nil, state, false
	}
	defer done()
	state, err := j.withGraph(ctx, func(g *graph.Graph) (err error) {
		m, err = g.Map(ctx, graph.MapOptions{Under: r.URL.Query().Get("under")})
		return err
	})
	if err != nil {
		s.broken(w, r, err)
		return nil, state, false
	}
	return m, state, true
}

func (s *Server) mapPage(w http.ResponseWriter, r *http.Request, j *shown) {
	m, state, ok := s.mapOf(w, r, j)
	if !ok {
		return
	}
	v := mapView{graphState: state, Under: r.URL.Query().Get("under"), Map: m}
	v.Back = "/map"
	if m != nil {
		for _, state := range graph.States() {
			v.States = append(v.States, stateRow{state.String(), state.Text(), m.States[state.String()]})
		}
		for _, b := range m.Hosts {
			v.Boxes = append(v.Boxes, boxRow{b, b.States[graph.Refused], b.States[graph.Dead]})
		}
	}
	s.show(w, r, http.StatusOK, "map.tmpl", view{Title: "Map", Here: "map", Job: j.name, Data: v})
}

// apiMap answers with the map as the page draws it.
func (s *Server) apiMap(w http.ResponseWriter, r *http.Request, j *shown) {
	m, state, ok := s.mapOf(w, r, j)
	switch {
	case !ok:
	case state.None:
		s.fail(w, r, http.StatusNotFound, "This job has no graph yet; the command \"cybermapper care\" makes one.")
	default:
		answerJSON(w, http.StatusOK, m)
	}
}

// mapFile answers with the graph as a file for other programs.
func (s *Server) mapFile(w http.ResponseWriter, r *http.Request, j *shown) {
	ctx, done, ok := s.much(w, r, s.o.MaxFile)
	if !ok {
		return
	}
	defer done()
	format := graph.Format(strings.TrimPrefix(r.URL.Path, "/map."))
	state, err := j.withGraph(ctx, func(g *graph.Graph) error {
		w.Header().Set("Content-Type", "application/xml; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="site.`+string(format)+`"`)
		return g.Write(ctx, w, format)
	})
	switch {
	case err != nil:
		panic(http.ErrAbortHandler) // who reads it must not take it for the whole
	case state.None:
		s.fail(w, r, http.StatusNotFound, "This job has no graph yet.")
	}
}
