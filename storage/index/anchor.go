package index

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/cybermapper/cybermapper/storage/index/term"
)

// addLinks notes what a page calls other pages.
func (e *edit) addLinks(d *Document) error {
	if e.x.mode != Words {
		return nil
	}
	for _, l := range d.Links {
		text := anchorText(l.Text)
		if text == "" || l.URL == d.URL {
			continue
		}
		target := hashURL(l.URL)
		key := uint64(target) ^ xxhash.Sum64String(text)
		if _, seen := e.x.writer.anchors[key]; seen {
			continue
		}
		if len(e.x.writer.anchors) >= maxAnchorsSeen {
			e.x.writer.reset()
		}
		e.x.writer.anchors[key] = struct{}{}
		if err := e.addAnchor(target, l.URL, text); err != nil {
			return err
		}
	}
	return nil
}

var insertAnchor = fmt.Sprintf(`INSERT OR IGNORE INTO anchors(target, text) SELECT ?1, ?2
	WHERE (SELECT count(*) FROM anchors WHERE target = ?1) < %d`, MaxAnchors)

// addAnchor notes what the page at url is called, up to MaxAnchors names. If that page is in the index already, it is to be
// refreshed.
func (e *edit) addAnchor(target int64, url, text string) error {
	res, err := e.exec(insertAnchor, target, text)
	if err != nil {
		return err
	}
	if added, err := res.RowsAffected(); err != nil || added == 0 {
		return err
	}
	var id int64
	var title, lang string
	found, err := e.get(`SELECT id, title, lang FROM pages WHERE url = ?`, []any{url}, &id, &title, &lang)
	if err == nil && !found {
		found, err = e.get(`SELECT id, title, lang FROM pages WHERE asked = ? AND asked != ''`, []any{url}, &id, &title, &lang)
	}
	if !found || err != nil || e.isPart(text, title, lang) {
		return err
	}
	_, err = e.exec(`INSERT OR IGNORE INTO stale(id) VALUES(?)`, id)
	return err
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

// anchorsOf returns what other pages call a page, a line each.
func (e *edit) anchorsOf(d *Document) (string, error) {
	if e.x.mode != Words {
		return "", nil
	}
	s, err := e.prepared(`SELECT DISTINCT text FROM anchors WHERE target IN (?, ?)`)
	if err != nil {
		return "", err
	}
	asked := d.Asked
	if asked == "" {
		asked = d.URL
	}
	rows, err := s.QueryContext(e.ctx, hashURL(d.URL), hashURL(asked))
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var texts []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return "", err
		}
		if !e.isPart(text, d.Text.Title, d.Lang) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n"), rows.Err()
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
