package index

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// find ranks the matches. What is ranked, and in which order, does not depend on which hits are asked for, as far as these go: else
// one would stand on two pages of hits, or on none.
func (s *search) find() error {
	if len(s.m.words) == 0 {
		return s.newest()
	}
	if err := s.findCommon(); err != nil {
		return err
	}
	if s.common = len(s.ranked); s.usual != nil {
		if err := s.rankMore(); err != nil {
			return err
		}
	}
	s.full = len(s.ranked)
	parts := len(s.m.loose) > 1 && (len(s.m.words) > 1 || s.r.Total == 0 || isQualified(s.m.words[0].text))
	if s.r.Total < few && parts {
		return s.fill()
	}
	return nil
}

// isQualified reports whether a word is a name behind that of what it belongs to, as in Path.glob and std::vector: a page on that
// may have it by itself.
func isQualified(word string) bool {
	before, after, ok := strings.Cut(word, ".")
	if !ok {
		before, after, ok = strings.Cut(word, "::")
	}
	first, _ := utf8.DecodeRuneInString(after)
	return ok && before != "" && unicode.IsLetter(first)
}

// findCommon ranks the matches in the usual languages, those first that titles, headings and anchor texts tell.
func (s *search) findCommon() error {
	if wide := s.m; s.usual != nil {
		s.m = s.usual
		defer func() { s.m = wide }()
	}
	if s.r.Total > common && s.inHeads() {
		if err := s.rank("heads", s.m.words, "AND"); err != nil {
			return err
		}
	}
	s.heads = len(s.ranked)
	return s.rankMore()
}

// rankMore ranks further matches if those that are ranked are too few for what is asked for.
func (s *search) rankMore() error {
	known, err := s.groups()
	if err != nil {
		return err
	}
	if known < s.q.Offset+s.q.Limit+few || s.q.Facets && len(s.ranked) < MaxHits && s.r.Total < 20_000 {
		return s.rank("fts", s.m.words, "AND")
	}
	return nil
}

// groups returns how many hits the matches make that are ranked: pages that are the same are one.
func (s *search) groups() (n int, err error) {
	if len(s.ranked) == 0 || s.q.Ungrouped {
		return len(s.ranked), nil
	}
	err = s.x.read.QueryRowContext(s.ctx, `SELECT count(DISTINCT grp) FROM pages WHERE id IN (`+idList(s.ranked)+
		`) AND (expires = 0 OR expires > ?)`, s.now).Scan(&n)
	return n, err
}

// fill adds pages on which words are missing. They must have a rare one; words that are on thousands of pages only add to the
// score. Of what is joined each part does.
func (s *search) fill() error {
	narrow := s.m
	defer func() { s.m = narrow }()
	m := *cmp.Or(s.wide, narrow)
	s.m, s.some = &m, &m
	m.words = m.loose
	words := slices.Clone(m.words)
	counts := map[string]int{}
	for _, w := range words {
		n, err := s.matches([]matchWord{w})
		if err != nil {
			return err
		}
		counts[w.text] = n
	}
	slices.SortStableFunc(words, func(a, b matchWord) int { return cmp.Compare(counts[a.text], counts[b.text]) })
	rare, sum := 0, 0
	for rare < len(words) && (sum == 0 || sum+counts[words[rare].text] <= filling) {
		sum += counts[words[rare].text]
		rare++
	}
	if rare < len(words) {
		m.required = words[:rare]
	}
	err := s.rank("fts", words, "OR")
	m.required = nil
	return err
}

// inHeads reports whether the query can be asked of the table heads: it has the columns, and nothing is excluded for standing
// elsewhere.
func (s *search) inHeads() bool { return len(s.m.not) == 0 && s.x.mode == Words }

// rank adds the best matches in a table to those that are known, in their order.
func (s *search) rank(table string, words []matchWord, op string) error {
	if len(s.ranked) >= MaxHits {
		return nil
	}
	where, args := s.where(table, words, op)
	if s.r.Total > s.x.ranked && op == "AND" {
		last, more, err := s.lastRanked(table, where, args)
		if err != nil {
			return err
		}
		if more {
			where, args = where+` AND `+table+`.rowid <= ?`, append(args, last)
			s.tell(fmt.Sprintf("very many pages fit: ranked are the %d that were indexed first", s.x.ranked))
		}
	}
	query := `SELECT ` + table + `.rowid,
		` + table + `.rank FROM ` + s.from(table) + ` WHERE ` + where + ` AND ` + table + `.rank MATCH '` +
		weights(table == "heads") + `' ORDER BY ` + table + `.rank LIMIT ?`
	list, err := all(s.ctx, s.x.read, (*match).scored, query, append(args, MaxHits)...)
	for _, m := range list {
		if m.score = -m.score; !s.seen[m.id] && len(s.ranked) < MaxHits {
			s.seen[m.id] = true
			s.ranked = append(s.ranked, m)
		}
	}
	return err
}

// lastRanked returns the match after which no further ones are ranked; more is false if there are none.
func (s *search) lastRanked(table, where string, args []any) (last int64, more bool, err error) {
	err = s.x.read.QueryRowContext(s.ctx, `SELECT `+table+`.rowid FROM `+s.from(table)+` WHERE `+where+
		` ORDER BY `+table+`.rowid LIMIT 1 OFFSET ?`, append(args[:len(args):len(args)], s.x.ranked-1)...).Scan(&last)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	return last, err == nil, err
}

// tell adds a notice, once.
func (s *search) tell(notice string) {
	if !slices.Contains(s.r.Notices, notice) {
		s.r.Notices = append(s.r.Notices, notice)
	}
}

// newest finds the pages of a query without words: those that filters leave, the highest in their sites first.
func (s *search) newest() error {
	where, args := s.where("fts", nil, "AND")
	if !strings.Contains(where, "MATCH") {
		args = slices.DeleteFunc(args, func(a any) bool { return a == "" })
	}
	from := `pages p`
	if strings.Contains(where, "MATCH") {
		from = `fts JOIN pages p ON p.id = fts.rowid`
	}
	if where == "" {
		where = "1"
	}
	if err := s.x.read.QueryRowContext(s.ctx, `SELECT count(*) FROM `+from+` WHERE `+where, args...).Scan(&s.r.Total); err != nil {
		return err
	}
	list, err := all(s.ctx, s.x.read, func(m *match) []any { return []any{&m.id} },
		`SELECT p.id FROM `+from+` WHERE `+where+` ORDER BY p.depth, length(p.url), p.id LIMIT ?`, append(args, MaxHits)...)
	s.ranked = append(s.ranked, list...)
	s.full = len(s.ranked)
	return err
}

// reorder puts the best matches in order again, by how much of their title was asked for, and all by whether a heading says it.
// Those whose title is what was asked for come first, however long they are otherwise, and in whatever language.
func (s *search) reorder() error {
	titled, err := s.titled()
	if err != nil {
		return err
	}
	isTitled := map[int64]bool{}
	for _, m := range titled {
		isTitled[m.id] = true
	}
	var again []*match
	for i := range s.ranked {
		if m := &s.ranked[i]; i < reordered || isTitled[m.id] {
			again = append(again, m)
		}
	}
	for i := range titled {
		if m := &titled[i]; !s.seen[m.id] {
			again = append(again, m)
		}
	}
	if err := s.loadAll(again); err != nil {
		return err
	}
	exact, names := map[int64]bool{}, siteNames(again)
	for _, m := range again {
		if m.row != nil {
			var bonus float64
			bonus, exact[m.id] = s.titleBonus(m.row, names[hostOf(m.row.doc.URL)])
			m.score *= 1 + bonus
		}
	}
	if err := s.liftHeaded(); err != nil {
		return err
	}
	from := 0
	// The scores of one way to rank say nothing beside those of another.
	for _, to := range []int{s.heads, s.common, s.full, len(s.ranked)} {
		slices.SortStableFunc(s.ranked[from:to], func(a, b match) int { return cmp.Compare(b.score, a.score) })
		from = to
	}
	s.putFirst(exact, titled)
	return nil
}

// titled returns pages with all words in their titles, if some may not be among the best matches, in an order that does not depend
// on which hits are asked for.
func (s *search) titled() (found []match, err error) {
	if len(s.m.words) == 0 || s.r.Total > s.x.ranked || len(s.ranked) <= reordered && s.r.Total <= len(s.ranked) {
		return nil, nil
	}
	table := "fts"
	if s.inHeads() {
		table = "heads"
	}
	words := make([]matchWord, len(s.m.words))
	for i, w := range s.m.words {
		words[i].phrases = slices.Clone(w.phrases)
		for j := range words[i].phrases {
			words[i].phrases[j].column = colTitle
		}
	}
	where, args := s.where(table, words, "AND")
	return all(s.ctx, s.x.read, (*match).scored, `SELECT `+table+`.rowid, -`+table+`.rank FROM `+s.from(table)+` WHERE `+where+
		` ORDER BY `+table+`.rank LIMIT ?`, append(args, reordered)...)
}

// putFirst puts the pages whose titles are what was asked for before all others, those in the usual languages first, and gives them
// more than the best of the others has.
func (s *search) putFirst(exact map[int64]bool, titled []match) {
	var first, foreign, others []match
	best := 0.0
	met := map[int64]match{}
	for i, m := range s.ranked {
		switch {
		case !exact[m.id]:
			others = append(others, m)
			best = max(best, m.score)
		case i < s.common:
			first = append(first, m)
		default:
			met[m.id] = m
		}
	}
	for _, m := range titled {
		if ranked, ok := met[m.id]; ok {
			foreign = append(foreign, ranked)
			delete(met, m.id)
		} else if exact[m.id] && !s.seen[m.id] {
			s.seen[m.id] = true
			foreign = append(foreign, m)
			s.full++
		}
	}
	for _, m := range s.ranked { // more than titled has
		if _, ok := met[m.id]; ok {
			foreign = append(foreign, m)
		}
	}
	first = append(first, foreign...)
	for i := range first {
		first[i].score += best
	}
	s.ranked = append(first, others...)
}

// loadAll reads the rows of matches, without their texts.
func (s *search) loadAll(matches []*match) error {
	at := make(map[int64]*match, len(matches))
	list := make([]match, len(matches))
	for i, m := range matches {
		at[m.id], list[i] = m, *m
	}
	rows, err := all(s.ctx, s.x.read, (*row).dest, `SELECT `+pageColumns+` FROM pages WHERE id IN (`+idList(list)+`)`)
	for i := range rows {
		r := &rows[i]
		r.times()
		at[r.id].row = r
	}
	return err
}

// idList writes the ids of matches as SQL has them.
func idList(matches []match) string {
	ids := make([]string, len(matches))
	for i, m := range matches {
		ids[i] = strconv.FormatInt(m.id, 10)
	}
	return strings.Join(ids, ",")
}

// load reads the row of a match, without its text. There is none when the page was taken out meanwhile.
func (s *search) load(m *match) error {
	if m.row != nil {
		return nil
	}
	r := &row{}
	err := s.x.read.QueryRowContext(s.ctx, `SELECT `+pageColumns+` FROM pages WHERE id = ?`, m.id).Scan(r.dest()...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	r.times()
	m.row = r
	return nil
}

// maxBonus is by how much the score grows of a page whose title is what was asked for.
const maxBonus = 0.6

// titleBonus is the more the fewer words a title has besides those that were asked for, if it has all of these; exact says that it
// has no other words, apart from the name of the site.
func (s *search) titleBonus(r *row, siteName string) (bonus float64, exact bool) {
	f := newFinder(s.m, s.a, r.doc.Lang)
	title := r.doc.Text.Title
	own := strings.TrimSuffix(title, siteName)
	for _, text := range slices.Compact([]string{title, unnumbered(title), own, unnumbered(own)}) {
		found, tokens := f.words(text)
		if tokens == 0 || len(s.m.words) == 0 {
			continue
		}
		share := float64(found.count()) / float64(len(s.m.words))
		if share < 1 {
			bonus = max(bonus, 0.2*share)
			continue
		}
		bonus = max(bonus, maxBonus*math.Min(1, float64(found.tokens)/float64(tokens)))
		exact = exact || !s.m.begins() && f.covers(text)
	}
	return bonus, exact
}

// siteNames returns, for hosts of which most titles end alike, behind a dash or a bar, how they end: " | npm handbook".
func siteNames(matches []*match) map[string]string {
	titles, ends := map[string]int{}, map[[2]string]int{}
	for _, m := range matches {
		if m.row != nil {
			host := hostOf(m.row.doc.URL)
			titles[host]++
			ends[[2]string{host, titleEnd(m.row.doc.Text.Title)}]++
		}
	}
	names := map[string]string{}
	for of, n := range ends {
		if host := of[0]; n >= leastAlike && 2*n > titles[host] {
			names[host] = of[1]
		}
	}
	return names
}

// leastAlike is how many titles end alike at least for that to be the name of a site.
const leastAlike = 3

// titleEnd returns what stands behind the last dash or bar in a title, with that; nothing if there is none.
func titleEnd(title string) string {
	end := 0
	for _, mark := range [...]string{" | ", " - ", " – ", " — ", " · ", " :: "} {
		end = max(end, strings.LastIndex(title, mark))
	}
	if end == 0 {
		return ""
	}
	return title[end:]
}

// unnumbered returns a title without the number of its chapter.
func unnumbered(title string) string {
	if rest := strings.TrimLeft(title, "0123456789. "); rest != "" {
		return rest
	}
	return title
}
