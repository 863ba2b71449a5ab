package index

import (
	"cmp"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/storage/index/term"
)

// A naming is what a page calls another one.
type naming struct {
	target int64 // hash of the URL
	text   string
}

// A name is a naming that is written down, once for all pages that use it, and as long as one does.
type name struct {
	id   int64
	text string
}

// addLinks notes what pages call other pages, up to MaxAnchors names of each. Those that are in the index already are to be
// refreshed.
func (e *edit) addLinks(rows []*row) error {
	users, order, targets := e.namings(rows)
	known, err := e.names(targets)
	if err != nil {
		return err
	}
	for _, n := range order {
		if at := slices.IndexFunc(known[n.target], func(k name) bool { return k.text == n.text }); at >= 0 {
			for _, u := range users[n] {
				e.use(known[n.target][at].id, u.row)
				e.remember(u.key, known[n.target][at].id)
			}
			delete(users, n)
		}
	}
	gone, err := e.settle() // what is not used any more makes room
	if err != nil {
		return err
	}
	for target, names := range known {
		known[target] = slices.DeleteFunc(names, func(k name) bool { return gone[k.id] })
	}
	order = slices.DeleteFunc(order, func(n naming) bool { return users[n] == nil })
	return e.addNames(order, users, known)
}

// addNames writes down names that are news, with their users.
func (e *edit) addNames(list []naming, users map[naming][]user, known map[int64][]name) error {
	var last int64
	if err := e.get(`SELECT id FROM anchors ORDER BY id DESC LIMIT 1`, nil, &last); err != nil {
		return err
	}
	var added []naming
	var args []any
	for _, n := range list {
		var id int64
		if names := known[n.target]; len(names) < MaxAnchors {
			last++
			id = last
			known[n.target] = append(names, name{id, n.text})
			added, args = append(added, n), append(args, id, n.target, n.text, len(users[n]))
		}
		for _, u := range users[n] {
			if id != 0 {
				u.row.names = append(u.row.names, id)
			}
			e.remember(u.key, id)
		}
	}
	if err := e.insertAll(`INSERT INTO anchors(id, target, text, users)`, 4, args); err != nil {
		return err
	}
	return e.markStale(added)
}

// A user is a page with a link, by whose text the name is remembered.
type user struct {
	row *row
	key uint64
}

// namings returns what pages call others, in order and who does, as far as it is not known to be written down; and whom.
func (e *edit) namings(rows []*row) (users map[naming][]user, order []naming, targets []any) {
	users = map[naming][]user{}
	if e.x.mode != Words {
		return users, nil, nil
	}
	met := map[int64]bool{}
	for _, r := range rows {
		for _, l := range r.doc.Links {
			target := hashURL(l.URL)
			key := uint64(target) ^ xxhash.Sum64String(l.Text)
			if l.URL == r.doc.URL {
				continue
			}
			if id, seen := e.x.writer.anchors[key]; seen {
				e.use(id, r)
				continue
			}
			n := naming{target, anchorText(l.Text)}
			if n.text == "" {
				e.remember(key, 0)
				continue
			}
			list := users[n]
			if list == nil {
				order = append(order, n)
			}
			if len(list) == 0 || list[len(list)-1].row != r {
				users[n] = append(list, user{r, key})
			}
			if !met[target] {
				met[target] = true
				targets = append(targets, target)
			}
		}
	}
	return users, order, targets
}

// names returns what is written down of what pages are called, by the hashes of their URLs.
func (e *edit) names(targets []any) (map[int64][]name, error) {
	known := map[int64][]name{}
	err := e.selectAll(`SELECT id, target, text FROM anchors WHERE target IN (`+places+`) ORDER BY target, text`, targets,
		func(rows *sql.Rows) error {
			var target int64
			var n name
			err := rows.Scan(&n.id, &target, &n.text)
			known[target] = append(known[target], n)
			return err
		})
	return known, err
}

// markStale notes which pages are called something that is news.
func (e *edit) markStale(added []naming) error {
	texts := map[int64][]string{}
	var targets []any
	for _, n := range added {
		if texts[n.target] == nil {
			targets = append(targets, n.target)
		}
		texts[n.target] = append(texts[n.target], n.text)
	}
	var ids []any
	err := e.selectAll(`SELECT a.hash, p.id, p.title, p.lang FROM addresses a JOIN pages p ON p.id = a.id
		WHERE a.hash IN (`+places+`)`, targets, func(rows *sql.Rows) error {
		var target, id int64
		var title, lang string
		err := rows.Scan(&target, &id, &title, &lang)
		if slices.ContainsFunc(texts[target], func(text string) bool { return !e.isPart(text, title, lang) }) {
			ids = append(ids, id)
		}
		return err
	})
	return errors.Join(err, e.insertAll(`INSERT OR IGNORE INTO stale(id)`, 1, ids))
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
			for _, n := range known[hashURL(u)] {
				if !slices.Contains(texts, n.text) && !e.isPart(n.text, r.doc.Text.Title, r.doc.Lang) {
					texts = append(texts, n.text)
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
