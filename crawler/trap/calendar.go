package trap

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
)

// A template is a pattern of URLs that differ in their date alone.
type template struct {
	pages  int
	texts  int    // of these, that are known
	like   int    // of these, that are like the one before
	last   uint64 // hash of the last one
	told   int    // of the pages, whose links are known
	leads  int    // of these, that lead on: to a date that was not known
	coming int    // URLs with a date that is to come, found where dates or the lists of them lead on to further ones
	depth  int    // of the place in which the outermost of them was found
	deep   int    // URLs with a date that is far ahead, let through although they lie deeper
	future int    // and others, that are suspected
	odd    int    // pages with a year that no calendar has: then numbers that are no dates stand there
	found  *Finding
}

// farAhead is the evidence against a date that does not speak against all of its calendar.
const farAhead = "the date is more than a year ahead"

const (
	alike               = 16                   // bits in which the hashes of two pages of a calendar differ at most
	ahead               = 366 * 24 * time.Hour // further dates are of a calendar that makes them up
	soon                = 48 * time.Hour       // somewhere it is tomorrow already
	firstYear, lastYear = 1900, 2199
	leastTold           = 8    // pages that tell whether they lead on
	proven              = 3    // such dates that it takes
	chained             = 3    // lists that lead to one another, of those dates
	mostDeep            = 1000 // dates that far ahead in further ones
)

// dateLocked takes in a page whose URL has a date. Of one that is recalled neither text nor links are known. Where pages differ in
// little but their date, what was measured each day, or is computed, is told from a calendar: it is listed, in lists that do not
// lead on for long, or nothing is to come.
func (d *Detector) dateLocked(p Page, recalled bool) {
	pattern, date, ok := cutDate(p.URL.PathQuery)
	if !ok {
		return
	}
	t := d.templateLocked(p.URL.Domain, p.URL.Origin+pattern)
	if depth := d.parentLocked(p.URL, p.Via).generations(); t.pages == 0 || depth < t.depth {
		t.depth = depth
	}
	t.pages++
	if date.Year() < firstYear || date.Year() > lastYear {
		t.odd++
	}
	if !recalled {
		t.told++
		t.leads += one(d.leadsOnLocked(p, pattern))
		t.texts++
		t.like += one(t.texts > 1 && bits.OnesCount64(t.last^p.Text.Hash) <= alike)
		t.last = p.Text.Hash
	}
	switch {
	case t.found != nil, t.odd >= proven:
	case t.texts >= d.o.Dates && 10*t.like >= 9*t.texts && (t.coming >= proven || !t.isListed()):
		t.found = &Finding{Calendar, p.URL.Origin + pattern, fmt.Sprintf("%d of %d pages are like the one before", t.like, t.texts)}
	case t.pages >= 100 && t.future >= proven:
		evidence := fmt.Sprintf("%d pages, and it goes on more than a year ahead", t.pages)
		t.found = &Finding{Calendar, p.URL.Origin + pattern, evidence}
	}
}

// suspectDateLocked suspects what belongs to an endless calendar, and dates more than a year ahead, unless they are those of a
// list, as of eclipses: then as many as there are may be, as long as the lists that they stand in do not lead to one another.
func (d *Detector) suspectDateLocked(u, via URL, parent *lineage, now time.Time) (Finding, bool) {
	pattern, date, ok := cutDate(u.PathQuery)
	if !ok {
		return Finding{}, false
	}
	t := d.templateLocked(u.Domain, u.Origin+pattern)
	isDeep := parent.generations() > t.depth+chained
	t.coming += one(date.After(now.Add(soon)) && t.pages > 0 && (isDeep || d.isOfLeadersLocked(via, pattern)))
	switch {
	case t.found != nil:
		return *t.found, true
	case t.pages < 20, t.odd >= proven, !date.After(now.Add(ahead)):
	case t.isListed() && !isDeep:
	case t.isListed() && t.deep < mostDeep:
		t.deep++
	default:
		t.future++
		return Finding{Calendar, u.Origin + pattern, farAhead}, true
	}
	return Finding{}, false
}

// isListed reports whether the dates seem to be those of a list: hardly a page leads on to another one, as far as is known.
func (t *template) isListed() bool { return t.told < leastTold || 4*t.leads < t.told }

// isOfLeadersLocked reports whether a URL has a date of another pattern, of which some page has led on to a further one.
func (d *Detector) isOfLeadersLocked(u URL, pattern string) bool {
	of, _, ok := cutDate(u.PathQuery)
	return ok && of != pattern && d.templateLocked(u.Domain, u.Origin+of).leads > 0
}

// leadsOnLocked reports whether a page leads to a URL of a pattern that is new: more is new than what else is not known. After the
// crawl was started anew much is not known that is not new, either.
func (d *Detector) leadsOnLocked(p Page, pattern string) bool {
	dates, others := 0, 0
	for _, u := range p.Links {
		if d.isKnownLocked(siteOf(u), u.hash()) {
			continue
		}
		if to, _, ok := cutDate(u.PathQuery); ok && to == pattern && u.Origin == p.URL.Origin {
			dates++
		} else {
			others++
		}
	}
	return dates > 0 && p.New > others
}

func (d *Detector) templateLocked(domain, pattern string) *template {
	site, h := siteOf(URL{Domain: domain}), xxhash.Sum64String(pattern)
	t, ok := d.templates.Get(site, h)
	if !ok {
		t = &template{}
		d.templates.Put(site, h, t)
	}
	return t
}

// cutDate returns a URL with its date replaced, and the date; ok is false when it has none. A date is a year and a month, or a
// day too, with one character between; or parameters of these names in any order, of which the year is enough; or one moment as the
// value of one: see cutMoment.
func cutDate(pathQuery string) (pattern string, date time.Time, ok bool) {
	for i := 0; i < len(pathQuery); i++ {
		if !isDigit(pathQuery[i]) || i > 0 && isDigit(pathQuery[i-1]) {
			continue
		}
		year, n := number(pathQuery[i:], 4)
		if n != 4 {
			continue
		}
		end := i + n
		month, n := after(pathQuery[end:], "month=")
		if n == 0 || month < 1 || month > 12 {
			continue
		}
		end += n
		day, n := after(pathQuery[end:], "day=")
		text := "YYYY-MM"
		if n > 0 && day >= 1 && day <= 31 {
			end, text = end+n, "YYYY-MM-DD"
		} else {
			day = 1
		}
		return pathQuery[:i] + text + pathQuery[end:], time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC), true
	}
	return cutDateOfQuery(pathQuery)
}

// cutDateOfQuery is cutDate for parameters: year and perhaps month and day, or one moment.
func cutDateOfQuery(pathQuery string) (pattern string, date time.Time, ok bool) {
	path, query, _ := strings.Cut(pathQuery, "?")
	year, month, day, hasMoment := 0, 1, 1, false
	var b strings.Builder
	b.WriteString(path)
	for separator := "?"; query != ""; {
		end := strings.IndexFunc(query, endsParameter)
		if end < 0 {
			end = len(query)
		}
		name, value, _ := strings.Cut(query[:end], "=")
		v, n := number(value, len("YYYY"))
		isNumber := n > 0 && n == len(value)
		pattern, moment := cutMoment(value)
		switch {
		case pattern != "" && !hasMoment:
			date, value, hasMoment = moment, pattern, true
		case isNumber && n == len("YYYY") && strings.EqualFold(name, "year"):
			year, value = v, "YYYY"
		case isNumber && n <= len("MM") && strings.EqualFold(name, "month"):
			month, value = v, "MM"
		case isNumber && n <= len("DD") && strings.EqualFold(name, "day"):
			day, value = v, "DD"
		}
		b.WriteString(separator + name + "=" + value)
		separator, query = query[end:min(end+1, len(query))], query[min(end+1, len(query)):]
	}
	switch {
	case year > 0 && isDay(month, day):
		return b.String(), time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC), true
	case year > 0 && hasMoment:
		return b.String(), time.Time{}, true
	case hasMoment:
		return b.String(), date, true
	}
	return "", date, false
}

func isDay(month, day int) bool { return month >= 1 && month <= 12 && day >= 1 && day <= 31 }

// cutMoment returns what a value is replaced by that may be a moment of a calendar, and the moment: the eight digits of a day, or
// the seconds since 1970, or milliseconds, of a full quarter of an hour, as midnight is in every time zone. Of a number that has as
// many digits and is none, as those of articles are, the moment is one of no calendar.
func cutMoment(value string) (pattern string, moment time.Time) {
	switch len(value) {
	case len("YYYYMMDD"), len("1577836800"), len("1577836800000"):
	default:
		return "", moment
	}
	v, err := strconv.ParseInt(value, 10, 64)
	if err != nil || !isDigit(value[0]) {
		return "", moment
	}
	switch len(value) {
	case len("YYYYMMDD"):
		if month, day := int(v/100%100), int(v%100); v >= 1e4 && isDay(month, day) {
			moment = time.Date(int(v/1e4), time.Month(month), day, 0, 0, 0, 0, time.UTC)
		}
		return "YYYYMMDD", moment
	case len("1577836800"):
		return "SECONDS", quarter(v)
	}
	if v%1000 == 0 {
		moment = quarter(v / 1000)
	}
	return "MILLISECONDS", moment
}

// quarter returns a time in seconds since 1970 if it is a full quarter of an hour, or else the zero time.
func quarter(seconds int64) time.Time {
	if seconds%(15*60) != 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// after reads the number behind a separator, and the name of a parameter if it is there. n is 0 when there is none.
func after(s, name string) (v, n int) {
	if s == "" || !strings.ContainsRune("/-._&;", rune(s[0])) {
		return 0, 0
	}
	skip := 1
	if strings.HasPrefix(s[skip:], name) {
		skip += len(name)
	}
	if v, n = number(s[skip:], 2); n == 0 {
		return 0, 0
	}
	return v, skip + n
}

// number reads a number of at most that many digits; n is 0 when there is none, or one that is longer.
func number(s string, most int) (v, n int) {
	for n < len(s) && isDigit(s[n]) {
		if n == most {
			return 0, 0
		}
		v = 10*v + int(s[n]-'0')
		n++
	}
	return v, n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
