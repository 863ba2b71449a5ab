package graph

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A question finds the faults of a kind: id, URL and detail of each. pages finds the pages of one, by its id; empty for no pages.
type question struct{ faults, pages string }

// Links that are there, and whether the page v that led to a URL first still does: known by these once it was visited again.
const (
	liveLinks = `links l JOIN urls s ON s.id = l.source AND s.stored`
	leads     = `NOT v.sitemap AND (v.asked < 2 OR v.status < 400 AND NOT (v.stored AND v.html AND NOT v.cut))`
)

// What SQL says of a URL u, so that each question reads as it is meant.
var words = strings.NewReplacer(
	"{shown}", `u.stored AND u.html AND u.canonical = 0`, // it speaks for itself
	"{redirect}", `status BETWEEN 300 AND 399 AND status != 304 AND location != 0`,
	"{linked}", `(EXISTS(SELECT 1 FROM `+liveLinks+` WHERE l.target = u.id)
		OR EXISTS(SELECT 1 FROM urls v WHERE v.id = u.via AND `+leads+`))`,
	"{unusable}", `(u.status >= 400 OR u.status = 0 AND u.asked > 0 OR u.noindex OR u.reason = 'robots-disallow'
		OR u.status BETWEEN 300 AND 399 AND u.status != 304)`,
	"{why}", `CASE WHEN u.noindex THEN 'noindex' WHEN u.reason = 'robots-disallow' THEN 'robots ' || u.rule
		WHEN u.status > 0 THEN 'status ' || u.status ELSE 'error ' || u.error END`,
)

// linking finds the pages that link to a URL, also by redirects, which are among them, and the one that led there first. The
// redirects are bounded: many may lead to the same place.
const linking = `WITH RECURSIVE led(id) AS (VALUES(?1)
		UNION SELECT r.id FROM led JOIN urls r ON r.location = led.id AND r.location != 0 AND r.status BETWEEN 300 AND 399
		LIMIT 100)
	SELECT url FROM urls WHERE NOT sitemap AND id IN (SELECT l.source FROM ` + liveLinks + ` WHERE l.target IN led
	UNION SELECT v.id FROM urls u JOIN urls v ON v.id = u.via AND ` + leads + ` WHERE u.id IN led) ORDER BY url`

// unclear are the answers that do not say whether a page is there: it may be for others, or later.
var unclear = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusTooManyRequests,
	http.StatusUnavailableForLegalReasons, http.StatusServiceUnavailable, 999,
}

// IsUnclear reports whether an answer with this status does not say that what a link leads to is not there.
func IsUnclear(status int) bool { return slices.Contains(unclear, status) }

// unclearStatuses lists them for a query.
func unclearStatuses() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(unclear), " ", ", "), "[]")
}

// questionOf returns what finds the faults of a kind; {host} stands for the condition on the host of what is faulty.
func questionOf(k Kind, o FaultOptions) (q question) {
	switch k {
	case DeadLink:
		q = question{`SELECT u.id, u.url, {why} FROM urls u
			WHERE (u.status >= 400 AND u.status NOT IN (` + unclearStatuses() + `) OR u.status = 0 AND u.error != '')
			AND u.outcome != 'retrying' AND NOT u.sitemap AND {linked} AND {host} ORDER BY u.url`, linking}
	case Orphan:
		q.faults = `SELECT u.id, u.url, 'in ' || v.url FROM urls u JOIN urls v ON v.id = u.via AND v.sitemap
			WHERE u.stored AND NOT u.sitemap
			AND NOT EXISTS(SELECT 1 FROM ` + liveLinks + ` WHERE l.target = u.id)
			AND NOT EXISTS(SELECT 1 FROM urls r, ` + liveLinks + ` WHERE l.target = r.id AND r.location = u.id AND r.location != 0)
			AND {host} ORDER BY u.url`
	case RedirectChain:
		q = question{`SELECT u.id, u.url, CASE u.reason WHEN 'redirect-loop' THEN u.rule ELSE '' END FROM urls u
			WHERE (u.reason = 'redirect-loop' OR {redirect}
				AND EXISTS(SELECT 1 FROM urls WHERE id = u.location AND {redirect})
				AND NOT EXISTS(SELECT 1 FROM urls WHERE location = u.id AND {redirect}))
			AND {host} ORDER BY u.url`, linking}
	case LinkedDisallowed:
		q = question{`SELECT u.id, u.url, u.rule FROM urls u WHERE u.reason = 'robots-disallow' AND {linked} AND {host}
			ORDER BY u.url`, linking}
	case LinkedNoindex:
		q = question{`SELECT u.id, u.url, '' FROM urls u WHERE u.noindex AND {linked} AND {host} ORDER BY u.url`, linking}
	case BadCanonical:
		q.faults = strings.ReplaceAll(`SELECT p.id, p.url, u.url || ': ' || {why} FROM urls p JOIN urls u ON u.id = p.canonical
			WHERE p.stored AND {unusable} AND {host} ORDER BY p.url`, "{host}", "{host of p}")
	case BadSitemap:
		q.faults = `SELECT u.id, u.url, {why} || ', in ' || v.url FROM urls u JOIN urls v ON v.id = u.via AND v.sitemap
			WHERE {unusable} AND u.outcome != 'retrying' AND NOT u.sitemap AND {host} ORDER BY u.url`
	case NoTitle:
		q.faults = `SELECT u.id, u.url, '' FROM urls u WHERE {shown} AND trim(u.title) = '' AND {host} ORDER BY u.url`
	case NoDescription:
		q.faults = `SELECT u.id, u.url, '' FROM urls u WHERE {shown} AND trim(u.description) = '' AND {host} ORDER BY u.url`
	case DoubleTitle:
		q = double("title")
	case DoubleDescription:
		q = double("description")
	case Duplicate:
		q = question{`SELECT min(u.id), min(u.url), '' FROM urls u WHERE u.stored AND u.canonical = 0 AND u.digest != '' AND {host}
			GROUP BY u.host, u.digest HAVING count(*) > 1 ORDER BY count(*) DESC, min(u.url)`,
			`SELECT u.url FROM urls u, urls o WHERE o.id = ?1 AND u.host = o.host AND u.digest = o.digest AND u.digest != ''
			AND u.stored AND u.canonical = 0 ORDER BY u.url`}
	case Slow:
		q.faults = fmt.Sprintf(`SELECT u.id, u.url, printf('%%.1f s', u.took / 1000) FROM urls u WHERE u.took >= %d AND u.stored
			AND {host} ORDER BY u.took DESC, u.url`, o.Slow.Milliseconds())
	case Endless:
		q = question{`SELECT u.id, u.url, u.rule FROM urls u WHERE u.reason IN ('looks-endless', 'repeated-segments',
			'path-too-deep', 'queries-per-path', 'pages-per-directory', 'directory-repeats-itself') AND {host}
			ORDER BY u.url`, linking}
	}
	return question{words.Replace(q.faults), words.Replace(q.pages)}
}

// double finds what several pages of a host share, if they are not the same in all bytes.
func double(column string) question {
	return question{
		strings.ReplaceAll(`SELECT min(u.id), min(u.url), u.shared FROM urls u WHERE {shown} AND u.shared != '' AND {host}
			GROUP BY u.host, u.shared HAVING count(DISTINCT u.digest) > 1 ORDER BY count(*) DESC, min(u.url)`, "shared", column),
		strings.ReplaceAll(`SELECT u.url FROM urls u, urls o WHERE o.id = ?1 AND u.host = o.host AND u.shared = o.shared
			AND u.shared != '' AND {shown} ORDER BY u.url`, "shared", column),
	}
}

// on puts the condition on the host into a question; an empty one is no condition.
func (q question) on(host string) (text string, values []any) {
	if host == "" {
		return strings.NewReplacer("{host}", "1", "{host of p}", "1").Replace(q.faults), nil
	}
	return strings.NewReplacer("{host}", "u.host = ?1", "{host of p}", "p.host = ?1").Replace(q.faults), []any{host}
}
