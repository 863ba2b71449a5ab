package index

import (
	"cmp"
	"database/sql"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/storage/index/term"
)

// A naming is what a page calls another one.
type naming struct {
	target    int64 // hash of the URL
	url, text string
}

// addLinks notes what pages call other pages, up to MaxAnchors names of each. Those that are in the index already are to be
// refreshed.
func (e *edit) addLinks(rows []*row) error {
	list, targets := e.namings(rows)
	known, err := e.names(targets)
	if err != nil {
		return err
	}
	var added []naming
	var args []any
	for _, n := range list {
		if names := known[n.target]; len(names) < MaxAnchors && !slices.Contains(names, n.text) {
			known[n.target] = append(names, n.text)
			added, args = append(added, n), append(args, n.target, n.text)
		}
	}
	if err := e.insertAll(`INSERT INTO anchors(target, text)`, 2, args); err != nil {
		return err
	}
	return e.markStale(added)
}

// namings returns what pages call others as far as it is not known to be written down, and whom.
func (e *edit) namings(rows []*row) (list []naming, targets []any) {
	if e.x.mode != Words {
		return nil, nil
	}
	w := &e.x.writer
	met := map[int64]bool{}
	for _, r := range rows {
		for _, l := range r.doc.Links {
			target := hashURL(l.URL)
			key := uint64(target) ^ xxhash.Sum64String(l.Text)
			if _, seen := w.anchors[key]; seen || l.URL == r.doc.URL {
				continue
			}
			if int64(len(w.anchors)) >= e.x.memory/anchorPart {
				w.reset()
			}
			w.anchors[key] = struct{}{}
			text := anchorText(l.Text)
			if text == "" {
				continue
			}
			list = append(list, naming{target, l.URL, text})
			if !met[target] {
				met[target] = true
				targets = append(targets, target)
			}
		}
	}
	return list, targets
}

// names returns what is written down of what pages are called, by the hashes of their URLs.
func (e *edit) names(targets []any) (map[int64][]string, error) {
	known := map[int64][]string{}
	err := e.selectAll(`SELECT target, text FROM anchors WHERE target IN (`+places+`) ORDER BY target, text`, targets,
		func(rows *sql.Rows) error {
			var target int64
			var text string
			err := rows.Scan(&target, &text)
			known[target] = append(known[target], text)
			return err
		})
	return known, err
}

// A called is a page that others have names for.
type called struct {
	id          int64
	title, lang string
}

// markStale notes which pages are called something that is news.
func (e *edit) markStale(added []naming) error {
	var urls []any
	for _, n := range added {
		urls = append(urls, n.url)
	}
	found := map[string]called{}
	scan := func(rows *sql.Rows) error {
		var url string
		var p called
		err := rows.Scan(&url, &p.id, &p.title, &p.lang)
		if first, ok := found[url]; !ok || p.id < first.id {
			found[url] = p
		}
		return err
	}
	err := e.selectAll(`SELECT url, id, title, lang FROM pages WHERE url IN (`+places+`)`, urls, scan)
	if err != nil {
		return err
	}
	urls = slices.DeleteFunc(urls, func(u any) bool { _, ok := found[u.(string)]; return ok })
	if err := e.selectAll(`SELECT asked, id, title, lang FROM pages WHERE asked IN (`+places+`) AND asked != ''`, urls,
		scan); err != nil {
		return err
	}
	var ids []any
	for _, n := range added {
		if p, ok := found[n.url]; ok && !e.isPart(n.text, p.title, p.lang) {
			ids = append(ids, p.id)
		}
	}
	return e.insertAll(`INSERT OR IGNORE INTO stale(id)`, 1, ids)
}

// isPart reports whether a title has all words of another text.
func (e *edit) isPart(text, title, lang string) bool {
	a := e.x.analyzer()
	defer e.x.giveBack(a)
	words := strings.Fields(string(a.Append(nil, title, lang)))
	for word := range strings.FieldsSeq(string(a.Append(nil, text, lang))) {
		if !slices.Contains(words, word) {
			return false
		}
	}
	return true
}

// addAnchors lets pages have what other pages call them, a line each.
func (e *edit) addAnchors(rows []*row) error {
	if e.x.mode != Words {
		return nil
	}
	var targets []any
	for _, r := range rows {
		for _, u := range r.doc.urls() {
			targets = append(targets, hashURL(u))
		}
	}
	known, err := e.names(targets)
	if err != nil {
		return err
	}
	for _, r := range rows {
		own := r.doc.urls()
		slices.SortFunc(own, func(a, b string) int { return cmp.Compare(hashURL(a), hashURL(b)) })
		var texts []string
		for _, u := range own {
			for _, text := range known[hashURL(u)] {
				if !slices.Contains(texts, text) && !e.isPart(text, r.doc.Text.Title, r.doc.Lang) {
					texts = append(texts, text)
				}
			}
		}
		r.anchor = strings.Join(texts, "\n")
	}
	return nil
}

// urls returns the URLs that may name a page.
func (d *Document) urls() []string {
	if d.Asked == "" || d.Asked == d.URL {
		return []string{d.URL}
	}
	return []string{d.URL, d.Asked}
}

// anchorText returns the text of a link as it is kept; empty when it says nothing.
func anchorText(s string) string {
	s = strings.Join(strings.Fields(cut(s, 4*MaxAnchor)), " ")
	s = cut(s, MaxAnchor)
	if _, ok := term.NewScanner(s).Next(); !ok || len(s) < 2 || isStep(s) {
		return ""
	}
	return s
}

// isStep reports whether the text of a link tells where it leads from here, and nothing of what is there.
func isStep(text string) bool {
	return steps[strings.ToLower(strings.Trim(text, " .:<>«»‹›←→↑|[]()"))]
}

// steps are such texts, as manuals have them on every page.
var steps = map[string]bool{
	"next": true, "next page": true, "next chapter": true, "next topic": true, "next section": true,
	"prev": true, "previous": true, "previous page": true, "previous chapter": true, "previous topic": true,
	"up": true, "home": true, "back": true, "top": true, "back to top": true, "here": true, "more": true, "read more": true,
	"weiter": true, "zurück": true, "nach oben": true, "zum anfang": true, "nächste": true, "vorherige": true,
	"suivant": true, "précédent": true, "niveau supérieur": true, "sommaire": true, "retour": true,
	"siguiente": true, "anterior": true, "subir": true, "inicio": true, "volver": true,
	"successivo": true, "precedente": true, "avanti": true, "indietro": true, "próximo": true, "seguinte": true, "início": true,
	"volgende": true, "vorige": true, "omhoog": true, "föregående": true, "nästa": true, "forrige": true, "neste": true,
	"następny": true, "poprzedni": true, "další": true, "předcházející": true, "předchozí": true,
	"далее": true, "назад": true, "вперёд": true, "вперед": true, "пред.": true, "след.": true, "наверх": true, "начало": true,
	"次へ": true, "前へ": true, "戻る": true, "次": true, "前": true, "上に戻る": true, "ホーム": true,
	"下一页": true, "上一页": true, "下一步": true, "上一步": true, "上一级": true, "起始页": true, "返回": true,
	"下一頁": true, "上一頁": true, "上一層": true, "起始頁": true,
	"다음": true, "이전": true, "위로": true, "처음으로": true,
}

func hashURL(url string) int64 { return int64(xxhash.Sum64String(url)) }
