package lint

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/cybermapper/cybermapper/robots"
)

// checkValue looks at the value of a field that is no rule.
func (l *linter) checkValue(at line) {
	switch strings.ToLower(at.Key) {
	case "sitemap":
		l.checkSitemap(at)
	case "crawl-delay":
		l.checkDelay(at)
	case "request-rate":
		l.checkForm(at, "bad-rate", rateForm, "documents/time, as in 1/10s or 30/1m 0100-0645")
	case "visit-time":
		l.checkForm(at, "bad-visit-time", visitForm, "two times in UTC, as in 0100-0645")
	case "clean-param":
		l.checkForm(at, "bad-clean-param", cleanForm, "parameters and perhaps a path, as in s&sid /forum/")
	case "content-signal":
		l.checkPreferences(at, "bad-signal", signals, "search=yes, ai-input=no, ai-train=no")
	case "content-usage":
		l.checkPreferences(at, "bad-usage", usages, "train-ai=n, search=y")
	}
}

var (
	delayForm = regexp.MustCompile(`^\d+(\.\d*)?$|^\.\d+$`)
	rateForm  = regexp.MustCompile(`^[1-9]\d*/\d+(\.\d+)?\s*[smhSMH]?(\s+\d{4}\s*-\s*\d{4})?$`)
	brokenURL = regexp.MustCompile(`(?i)^(https?)(:/?|//)\b`)
	visitForm = regexp.MustCompile(`^([01]\d|2[0-4])[0-5]\d\s*-\s*([01]\d|2[0-4])[0-5]\d$`)

	cleanForm = regexp.MustCompile(`^[A-Za-z0-9._~%\[\]-]+(&[A-Za-z0-9._~%\[\]-]+)*([ \t]+[/*]\S*)?$`)

	signals = map[string][]string{"search": {"yes", "no"}, "ai-input": {"yes", "no"}, "ai-train": {"yes", "no"}}
	usages  = map[string][]string{"search": {"y", "n"}, "train-ai": {"y", "n"}}
)

func (l *linter) checkForm(at line, code Code, form *regexp.Regexp, example string) {
	if !form.MatchString(at.Value) {
		l.add(code, at, "Robots that know the field cannot read its value.", "Write "+example+".")
	}
}

func (l *linter) checkSitemap(at line) {
	switch {
	case at.Value == "":
		l.add("bad-sitemap", at, "Robots find no sitemap here.", "Write the full URL, or delete the line.")
	case !isURL(at.Value) && isURL(visible(at.Value)):
		l.add("bad-sitemap", at, "A no-break, zero-width or typographic character stands before the URL: robots may not find it.",
			"Sitemap: "+visible(at.Value))
	case brokenURL.MatchString(at.Value):
		l.add("bad-sitemap", at, "The address lacks a colon or a slash: robots may not find the sitemap.",
			"Sitemap: "+brokenURL.ReplaceAllString(at.Value, "$1://"))
	case !isURL(at.Value) && hasPlaceholder(at.Value):
		l.add("bad-sitemap", at, "A sitemap is named by its full URL; robots may not find it.",
			"Write the full URL, or delete the line.")
	case !isURL(at.Value):
		rest, hasHost := strings.CutPrefix(at.Value, "//")
		if !hasHost {
			rest = cmp.Or(l.Host, "www.example.org") + "/" + strings.TrimPrefix(at.Value, "/")
		}
		l.add("bad-sitemap", at, "A sitemap is named by its full URL; robots may not find it.", "Sitemap: https://"+rest)
	case strings.ContainsAny(at.Value, " \t"):
		l.add("bad-sitemap", at, "Robots take all of it for one URL.", "One Sitemap line per URL.")
	case l.Host != "" && !sameSite(hostOf(at.Value), l.Host):
		l.add("foreign-sitemap", at,
			"The file is served by "+l.Host+". Robots may read a sitemap elsewhere; a copy of a staging site looks like this too.",
			"If it was copied, name the sitemap of this site.")
	}
}

// maxUsualDelay is the delay above which robots begin to stay away (Nutch and StormCrawler skip such a host); beyond
// maxHeardDelay others take the site for closed or shorten the delay.
const (
	maxUsualDelay = 30
	maxHeardDelay = 300
)

func (l *linter) checkDelay(at line) {
	if !delayForm.MatchString(at.Value) {
		l.add("bad-delay", at, "Robots that know the field want a number of seconds; some read the number that the value begins "+
			"with, others nothing.", "Write a number alone, such as Crawl-delay: 10.")
		return
	}
	seconds, err := strconv.ParseFloat(at.Value, 64)
	switch {
	case err == nil && seconds > maxHeardDelay:
		l.add("long-delay", at, "Some robots take so long a delay for a ban, others shorten it to what they like.",
			"Ask for 30 seconds at most; to keep robots out, say Disallow: /.")
	case err == nil && seconds > maxUsualDelay:
		l.addAs("long-delay", Info, at, "Some robots skip sites that ask for more than 30 seconds.", "Ask for 30 seconds at most.")
	}
}

// checkPreferences looks at a list of key=value, perhaps behind a path.
func (l *linter) checkPreferences(at line, code Code, known map[string][]string, example string) {
	value := at.Value
	if strings.HasPrefix(value, "/") {
		_, value, _ = strings.Cut(strings.ReplaceAll(value, "\t", " "), " ")
	}
	for part := range strings.SplitSeq(value, ",") {
		key, v, ok := strings.Cut(strings.TrimSpace(part), "=")
		key, v = strings.TrimSpace(key), strings.TrimSpace(v)
		values, isKnown := known[key]
		switch {
		case !ok || key == "" || v == "":
			l.add(code, at, "Who reads the field finds no key=value in "+quoted(part)+", and may drop the whole line.",
				"Write "+at.Key+": "+example+".")
			return
		case !isKnown:
			l.addAs(code, Info, at, "Nobody is known to read the key "+quoted(key)+".", "Known keys and values: "+example+".")
		case v != values[0] && v != values[1]:
			l.add(code, at, "The value of "+quoted(key)+" can be "+values[0]+" or "+values[1]+"; anything else says nothing.",
				"Write "+at.Key+": "+example+".")
		}
	}
}

// isRule reports whether a line is an Allow or Disallow of some group.
func (l line) isRule() bool {
	return (l.Role == robots.RoleAllow || l.Role == robots.RoleDisallow) && l.Group > 0
}
