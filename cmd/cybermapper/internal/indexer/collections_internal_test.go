package indexer

import (
	"bufio"
	"cmp"
	"encoding/json"
	"html"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/storage/filetest"
	"github.com/cybermapper/cybermapper/storage/index"
	"github.com/cybermapper/cybermapper/storage/index/term"
)

// A collection is documents, queries, and which documents answer them, as others have judged it: a folder as BEIR has it, with
// corpus.jsonl, queries.jsonl and qrels/test.tsv.
type collection struct {
	docs    []collectionDoc
	queries []collectionDoc
	answers map[string]map[string]bool // by query, ids of documents
}

// A collectionDoc is a document or a query.
type collectionDoc struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
	Lang  string `json:"lang"` // not of BEIR; English if there is none
}

// TestCollections prints how well the queries of test collections are answered, and how well plain BM25 answers them, with the same
// terms and no weights:
//
//	COLLECTIONS=DIR go test -run Collections -v ./cmd/cybermapper/internal/indexer
//
// DIR has a folder for each collection. MRR is the mean of 1/rank of the first answer, nDCG counts every answer by its rank, and
// recall is the share of the answers, all of the first ten hits.
func TestCollections(t *testing.T) {
	dir := os.Getenv("COLLECTIONS")
	if dir == "" {
		t.Skip("COLLECTIONS names no folder of test collections")
	}
	names, err := filepath.Glob(filepath.Join(dir, "*", "corpus.jsonl"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s has no collections: %v", dir, err)
	}
	for _, name := range names {
		t.Run(path.Base(filepath.Dir(name)), func(t *testing.T) { judgeCollection(t, filepath.Dir(name)) })
	}
}

func judgeCollection(t *testing.T, dir string) {
	c := readCollection(t, dir)
	pages := t.TempDir()
	for _, d := range c.docs {
		page := `<!doctype html><html lang="` + cmp.Or(d.Lang, "en") + `"><meta charset="utf-8"><title>` + html.EscapeString(d.Title) +
			`</title><h1>` + html.EscapeString(d.Title) + `</h1><p>` + html.EscapeString(d.Text) + `</p></html>`
		if err := os.WriteFile(filepath.Join(pages, "d"+d.ID+".html"), []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x, _ := relevanceIndex(t, pages, []string{"."})
	plain := newPlain(c.docs)
	var ours, theirs score
	for _, q := range c.queries {
		r, err := x.Search(t.Context(), index.Query{Text: q.Text})
		if err != nil {
			t.Fatalf("%s: %v", q.Text, err)
		}
		var found []string
		for _, h := range r.Hits {
			found = append(found, strings.TrimSuffix(strings.TrimPrefix(path.Base(h.URL), "d"), ".html"))
		}
		a, b := ours.add(found, c.answers[q.ID]), theirs.add(plain.search(q), c.answers[q.ID])
		if os.Getenv("COLLECTIONS_EACH") != "" && a < b {
			t.Logf("nDCG %.2f, plain %.2f: %s: %d pages, %v", a, b, q.Text, r.Total, found)
		}
	}
	t.Logf("%d documents, %d queries: MRR %.3f nDCG %.3f recall %.3f; plain BM25: MRR %.3f nDCG %.3f recall %.3f", len(c.docs),
		len(c.queries), ours.mean(ours.mrr), ours.mean(ours.ndcg), ours.mean(ours.recall),
		theirs.mean(theirs.mrr), theirs.mean(theirs.ndcg), theirs.mean(theirs.recall))
	if ours.ndcg < 0.9*theirs.ndcg {
		t.Error("plain BM25 is far better")
	}
}

// A score sums up how well queries were answered.
type score struct{ mrr, ndcg, recall, n float64 }

func (s *score) mean(sum float64) float64 { return sum / max(s.n, 1) }

// add takes in the answer to a query, and returns its nDCG.
func (s *score) add(found []string, answers map[string]bool) float64 {
	var gain, ideal, first, hits float64
	for i := range min(10, len(answers)) {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	for i, id := range found {
		if !answers[id] {
			continue
		}
		if hits++; hits == 1 {
			first = 1 / float64(i+1)
		}
		gain += 1 / math.Log2(float64(i)+2)
	}
	s.n++
	s.mrr += first
	s.ndcg += gain / ideal
	s.recall += hits / float64(len(answers))
	return gain / ideal
}

func readCollection(t *testing.T, dir string) *collection {
	t.Helper()
	c := &collection{answers: map[string]map[string]bool{}}
	c.docs = readDocs(t, filepath.Join(dir, "corpus.jsonl"))
	c.queries = readDocs(t, filepath.Join(dir, "queries.jsonl"))
	body := filetest.Read(t, filepath.Join(dir, "qrels", "test.tsv"))
	for line := range strings.Lines(string(body)) {
		if f := strings.Fields(line); len(f) == 3 && f[2] != "0" && f[0] != "query-id" {
			if c.answers[f[0]] == nil {
				c.answers[f[0]] = map[string]bool{}
			}
			c.answers[f[0]][f[1]] = true
		}
	}
	c.queries = slices.DeleteFunc(c.queries, func(q collectionDoc) bool { return len(c.answers[q.ID]) == 0 })
	return c
}

func readDocs(t *testing.T, name string) (docs []collectionDoc) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var d collectionDoc
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return docs
}

// plain is BM25 as in books: the terms of title and text together, all words of a query, none of which must be there.
type plain struct {
	docs    []collectionDoc
	a       term.Analyzer
	langs   []string
	places  map[string]map[int]float64 // how often a document has a term
	length  []float64
	average float64
}

func newPlain(docs []collectionDoc) *plain {
	p := &plain{docs: docs, places: map[string]map[int]float64{}, length: make([]float64, len(docs))}
	for i, d := range docs {
		lang := cmp.Or(d.Lang, "en")
		if !slices.Contains(p.langs, lang) {
			p.langs = append(p.langs, lang)
		}
		for _, t := range p.terms(d.Title+" "+d.Text, lang) {
			if p.places[t] == nil {
				p.places[t] = map[int]float64{}
			}
			p.places[t][i]++
			p.length[i]++
			p.average += 1 / float64(len(docs))
		}
	}
	return p
}

func (p *plain) terms(text, lang string) []string {
	return strings.Fields(string(p.a.Append(nil, term.Composed(text), lang)))
}

// search returns the ids of the ten best documents.
func (p *plain) search(q collectionDoc) (ids []string) {
	const k, b = 1.2, 0.75
	scores := map[int]float64{}
	seen := map[string]bool{}
	for _, lang := range p.langs {
		for _, t := range p.terms(q.Text, lang) {
			if seen[t] {
				continue
			}
			seen[t] = true
			n := float64(len(p.places[t]))
			idf := math.Log(1 + (float64(len(p.docs))-n+0.5)/(n+0.5))
			for i, f := range p.places[t] {
				scores[i] += idf * f * (k + 1) / (f + k*(1-b+b*p.length[i]/p.average))
			}
		}
	}
	best := make([]int, 0, len(scores))
	for i := range scores {
		best = append(best, i)
	}
	slices.SortFunc(best, func(i, j int) int { return cmp.Or(cmp.Compare(scores[j], scores[i]), cmp.Compare(i, j)) })
	for _, i := range best[:min(10, len(best))] {
		ids = append(ids, p.docs[i].ID)
	}
	return ids
}
