package serve

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/graph"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
)

// faultsPerPage is how many faults a page shows.
const faultsPerPage = 50

// A careView is what the owner of a site may want to put right.
type careView struct {
	graphState
	Kinds  []kindRow
	Kind   graph.Kind // the one that is listed; empty for the overview
	Text   string
	Total  int
	Faults []graph.Fault
	From   int // number of the first one
	CSV    string
	Prev   string
	Next   string
}

type kindRow struct {
	Kind  graph.Kind
	Text  string
	Count int
	Link  string
}

// kindOf returns the kind that a request names, empty for none, and the page of it, from 1.
func kindOf(r *http.Request) (k graph.Kind, page int) {
	if name := r.URL.Query().Get("kind"); graph.IsKind(name) {
		k = graph.Kind(name)
	}
	page, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil {
		page = 1
	}
	return k, min(max(page, 1), 1_000_000)
}

func careLink(path, job string, k graph.Kind, page int) string {
	v := url.Values{"job": {job}, "kind": {string(k)}}
	if page > 1 {
		v.Set("page", strconv.Itoa(page))
	}
	return path + "?" + v.Encode()
}

// faults fills the view of a kind, or of all.
func (s *Server) faults(w http.ResponseWriter, r *http.Request, j *shown) (v careView, ok bool) {
	ctx, done, ok := s.much(w, r, s.o.MaxTime)
	if !ok {
		return v, false
	}
	defer done()
	k, page := kindOf(r)
	state, err := j.withGraph(ctx, func(g *graph.Graph) (err error) {
		if k == "" {
			for _, k := range graph.Kinds() {
				n, err := g.Count(ctx, k, graph.FaultOptions{})
				if err != nil {
					return err
				}
				v.Kinds = append(v.Kinds, kindRow{Kind: k, Text: k.Text(), Count: n, Link: careLink("/care", j.name, k, 1)})
				v.Total += n
			}
			return nil
		}
		v.Kind, v.Text, v.From, v.Faults = k, k.Text(), (page-1)*faultsPerPage+1, []graph.Fault{}
		if v.Total, err = g.Count(ctx, k, graph.FaultOptions{}); err != nil {
			return err
		}
		for f, err := range g.Faults(ctx, k, graph.FaultOptions{Offset: v.From - 1, Limit: faultsPerPage, Pages: 10}) {
			if err != nil {
				return err
			}
			v.Faults = append(v.Faults, f)
		}
		return nil
	})
	if err != nil {
		s.broken(w, r, err)
		return v, false
	}
	v.graphState, v.Back, v.CSV = state, "/care", careLink("/care.csv", j.name, k, 1)
	if page > 1 {
		v.Prev = careLink("/care", j.name, k, page-1)
	}
	if page*faultsPerPage < v.Total && k != "" {
		v.Next = careLink("/care", j.name, k, page+1)
	}
	return v, true
}

func (s *Server) carePage(w http.ResponseWriter, r *http.Request, j *shown) {
	if state := j.graphState(); state.Running { // to count while pages are taken in is slow, and says what is not so
		v := careView{graphState: state}
		s.show(w, r, http.StatusOK, "care.tmpl", view{Title: "Site care", Here: "care", Job: j.name, Data: v})
		return
	}
	if v, ok := s.faults(w, r, j); ok {
		s.show(w, r, http.StatusOK, "care.tmpl", view{Title: "Site care", Here: "care", Job: j.name, Data: v})
	}
}

func (s *Server) apiCare(w http.ResponseWriter, r *http.Request, j *shown) {
	if name := r.URL.Query().Get("kind"); name != "" && !graph.IsKind(name) {
		s.fail(w, r, http.StatusBadRequest, "There is no kind of faults "+say.Printable(name)+".")
		return
	}
	v, ok := s.faults(w, r, j)
	switch {
	case !ok:
	case v.None:
		s.fail(w, r, http.StatusNotFound, "This job has no graph yet; the command \"cybermapper care\" makes one.")
	case v.Kind != "":
		answerJSON(w, http.StatusOK, map[string]any{"kind": v.Kind, "total": v.Total, "faults": v.Faults})
	default:
		counts := map[graph.Kind]int{}
		for _, row := range v.Kinds {
			counts[row.Kind] = row.Count
		}
		answerJSON(w, http.StatusOK, map[string]any{"counts": counts})
	}
}

// careCSV answers with all faults of a kind, or of all kinds, as the command prints them.
func (s *Server) careCSV(w http.ResponseWriter, r *http.Request, j *shown) {
	ctx, done, ok := s.much(w, r, s.o.MaxFile)
	if !ok {
		return
	}
	defer done()
	kinds := graph.Kinds()
	if k, _ := kindOf(r); k != "" {
		kinds = []graph.Kind{k}
	}
	state, err := j.withGraph(ctx, func(g *graph.Graph) error {
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="care.csv"`)
		_, err := g.WriteCSV(ctx, w, kinds, graph.FaultOptions{})
		return err
	})
	switch {
	case err != nil:
		panic(http.ErrAbortHandler) // who reads it must not take it for the whole
	case state.None:
		s.fail(w, r, http.StatusNotFound, "This job has no graph yet.")
	}
}
