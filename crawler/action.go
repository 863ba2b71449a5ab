package crawler

import (
	"net/url"
	"strings"
)

// DefaultActions returns the names that mark a link as something to do rather than something to read: following it could
// vote, buy, delete or sign out. GET should be safe (RFC 9110 section 9.2.1), but owners expose such things all the same. A link
// with a token against forged requests is one of these, whatever it is called.
func DefaultActions() []string {
	return []string{
		"action=", "veaction=", "logout", "logoff", "signout", "signoff", "logoutpage",
		"vote", "upvote", "downvote", "delete", "remove", "subscribe", "unsubscribe",
		"clearcache=", "flushcache=", "purgecache=", "admin/clearcache", "admin/flushcache", "admin/purgecache",
		"addtocart", "addtobasket", "addtowishlist", "addtocompare",
		"addfav", "addfavorite", "addfavourite", "addtofavorites", "addtofavourites", "cart/add", "basket/add",
		"wishlist/add", "compare/add", "buynow", "checkout", "reply", "newreply", "newthread", "newtopic", "mode=quote",
		"mypostkey=", "sesskey=", "wpnonce=", "formhash=", "securitytoken=", "csrf=", "csrftoken=", "csrfmiddlewaretoken=",
		"authenticitytoken=", "formtoken=", "csrfformkey=", "csrfkey=", "xsrftoken=", "xftoken=", "sectok=", "statictoken=",
		"token=",
		"login?", "loginpage?", "loginform?", "loginanon?", "signin?", "userlogin?", "wplogin?", "logon?", "signon?",
		"register?", "signup?", "createaccount?",
		"submitticket=", "markasseen=", "ticketbookmark", "movescripup=", "movescripdown=",
		"movecustomfieldup=", "movecustomfielddown=", "movecustomroleup=", "movecustomroledown=",
	}
}

// actions recognises action-like links. A plain name matches the first segment of a path if that has an underscore and a page
// follows, as /_delete/PageName; the last segment without its ;parameters and its extension, unless that is a source text's, or
// there is no query and it is a document's, in a manual, in a list of names or on a host that serves files only; a parameter name
// or a parameter value, unless its name or the page, as /help?cmd=vote, asks for a text to read. Neither case nor "-" and "_"
// matter. Two names with a slash match the last two segments; a name that ends in "=" matches a parameter name only, unless its
// value says that something is shown, as ?action=view&id=7, and NAME=VALUE one with that value; "token=" one with the value of a
// token against forged requests. A name that ends in "?" is that of a form which says where to go on after it, as
// /login?next=/page/17 does: a program puts one on each page, and all are the same form.
type actions struct {
	words  map[string]bool
	params map[string]map[string]bool // of a parameter the values that are meant, "" for any
	forms  map[string]bool
}

func newActions(names []string) actions {
	a := actions{words: map[string]bool{}, params: map[string]map[string]bool{}, forms: map[string]bool{}}
	for _, n := range names {
		if p, value, ok := strings.Cut(n, "="); ok {
			p = plainWord(p)
			if a.params[p] == nil {
				a.params[p] = map[string]bool{}
			}
			a.params[p][plainWord(value)] = true
		} else if f, ok := strings.CutSuffix(n, "?"); ok {
			a.forms[plainWord(f)] = true
		} else if w := plainWord(n); w != "" {
			a.words[w] = true
		}
	}
	return a
}

// match returns the name that matched, or "". host is without its port, in lower case; pathQuery is an escaped path with its query.
func (a actions) match(host, pathQuery string) string {
	path, query, hasQuery := strings.Cut(pathQuery, "?")
	if w := a.onPage(path); w != "" {
		return w
	}
	if w := a.inPath(path, hasQuery); w != "" && (hasQuery || !isDocumentation(host, path) && !isArticle(path)) {
		return w
	}
	for pair := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
		name, value, _ := strings.Cut(pair, "=")
		p := plainWord(name)
		switch values, v := a.params[p], plainWord(value); {
		case values[""] && !isShown(v) && !isZabbixPage(path, value) && (p != "token" || isForgeryToken(path, query, name, value)):
			return p + "="
		case values[v]:
			return p + "=" + v
		}
		if w := a.word(name); w != "" {
			return w
		}
		if w := a.word(value); w != "" && !namesText(name) && !isHelp(path, query) {
			return w
		}
	}
	return a.form(path, query)
}

// isShown reports whether the value of a parameter which says what to do is that of a page to read, as view, show_winners, profile.
// Another view of a page, as print, raw, info, diff and history, is none of these: there may be any number for each page.
func isShown(value string) bool {
	switch value {
	case "read", "profile", "detail", "details", "article", "news", "event", "about", "help", "faq", "home", "index":
		return true
	}
	for _, start := range []string{"view", "show", "display", "list", "browse"} {
		if strings.HasPrefix(value, start) {
			return true
		}
	}
	return false
}

// isZabbixPage reports whether the value of a parameter which says what to do is that of a page of Zabbix, as host.view. What has
// a dot elsewhere may say what is done first, as delete.list.
func isZabbixPage(path, value string) bool {
	_, last := cutLast(path)
	return last == "zabbix.php" && (strings.HasSuffix(value, ".view") || strings.HasSuffix(value, ".list"))
}

// isForgeryToken reports whether a parameter called token, or _token, is one against forged requests: a hash in hexadecimal digits,
// or, with the underscore, anything. Tokens that lead to the next page of a list, or show a reader what is shared, are UUIDs,
// base64 or short; of a document, or of what is sent as one, they say who may read it.
func isForgeryToken(path, query, name, value string) bool {
	_, last := cutLast(strings.TrimSuffix(path, "/"))
	if isDocument(last) || isSent(last) || isShown(plainWord(last)) {
		return false
	}
	for pair := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
		if _, v, _ := strings.Cut(pair, "="); isSent(v) {
			return false
		}
	}
	return strings.HasPrefix(name, "_") || len(value) >= 32 && strings.Trim(strings.ToLower(value), "0123456789abcdef") == ""
}

// isSent reports whether what a program is to do, as eID=dumpFile or /download, is to send a file, an image or a feed.
func isSent(name string) bool {
	switch w := plainWord(name); w {
	case "image", "thumb", "thumbnail", "feed", "rss":
		return true
	default:
		return strings.HasPrefix(w, "download") || strings.HasPrefix(w, "dump")
	}
}

// form returns the name of the form that a URL with a way back is, or "".
func (a actions) form(path, query string) string {
	back, form := false, ""
	judge := func(s string) {
		s = s[strings.LastIndexByte(s, ':')+1:] // as in title=Special:UserLogin
		s, _, _ = strings.Cut(s, ".")
		if w := plainWord(s); len(s) <= 64 && a.forms[w] {
			form = w + "?"
		}
	}
	for pair := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
		name, value, _ := strings.Cut(pair, "=")
		back = back || leadsBack(name) || mayLeadBack(name) && isAddress(value) || plainWord(name) == "to" && isPath(value)
		judge(value)
	}
	if !back {
		return ""
	}
	_, last := cutLast(strings.TrimSuffix(path, "/"))
	judge(last)
	return form
}

// leadsBack reports whether the value of a parameter says where to go on.
func leadsBack(parameter string) bool {
	switch plainWord(parameter) {
	case "returnto", "return", "returnurl", "returnpath", "redirectto", "redirect", "redirecturl", "redirecturi", "redirectpage",
		"redirecttoreferer", "next", "back", "backurl", "destination", "osdestination", "dest",
		"goto", "continue", "camefrom", "referer", "referrer", "callbackurl", "postloginredirecturi", "xfredirect", "starturl",
		"returl":
		return true
	}
	return false
}

// mayLeadBack reports whether the value of a parameter says where to go on if it is an address, as /login?from=/page/17 has it.
func mayLeadBack(parameter string) bool {
	switch plainWord(parameter) {
	case "from", "service", "callback", "url", "target", "source", "g":
		return true
	}
	return false
}

// isAddress reports whether the value of a parameter is the path of a page, or its URL.
func isAddress(value string) bool {
	value = strings.ToLower(value)
	for _, start := range []string{"/", "%2f", "http:", "http%3a", "https:", "https%3a"} {
		if strings.HasPrefix(value, start) {
			return true
		}
	}
	return false
}

// isPath reports whether the value of a parameter is a path, though it need not begin with a slash, and no date: Question2Answer
// writes /login?to=17%2Ftitle.
func isPath(value string) bool {
	value = strings.ToLower(value)
	return (strings.Contains(value, "/") || strings.Contains(value, "%2f")) &&
		strings.Trim(strings.ReplaceAll(value, "%2f", "/"), "0123456789/") != ""
}

// namesText reports whether the value of a parameter says what is read about, as in ?topic=delete, or of which list, as in
// ?tags=delete.
func namesText(parameter string) bool {
	switch p := plainWord(parameter); p {
	case "topic", "title", "q", "query", "search", "s", "text", "entry", "article", "chapter", "section", "help", "man", "symbol",
		"name", "searchtags", "categoryname":
		return true
	default:
		return listsNames(p)
	}
}

// onPage judges a first segment that has an underscore, by which a wiki tells what it does with a page from the page itself:
// /_delete/PageName.
func (a actions) onPage(path string) string {
	first, page, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if page == "" || !strings.HasPrefix(first, "_") {
		return ""
	}
	return a.word(first)
}

// inPath judges the last segment of a path, unless it names a document, and the one before a number. What lies above is a folder.
func (a actions) inPath(path string, hasQuery bool) string {
	above, last := cutLast(strings.TrimSuffix(path, "/"))
	last, _, _ = strings.Cut(last, ";") // as in /logout;jsessionid=1
	if strings.Trim(last, "0123456789") == "" {
		above, last = cutLast(above)
	}
	if !hasQuery && isDocument(last) {
		return ""
	}
	if w := a.word(last); w != "" {
		return w
	}
	_, folder := cutLast(above)
	if w := plainWord(folder) + "/" + plainWord(last); a.words[w] {
		return w
	}
	return ""
}

// isDocumentation reports whether a path is one of a manual, where /docs/commands/delete/ tells of that, or of a host that serves
// files only. Where it has a number, as /docs/17/delete, documents are kept. In a list of names, as /tags/vote/ and
// /commands/subscribe, the last one is a name, too: an action would say on which of them.
func isDocumentation(host, path string) bool {
	is := isStatic(host)
	above, last := cutLast(strings.TrimSuffix(path, "/"))
	if last == "" || strings.Trim(last, "0123456789") != "" {
		_, list := cutLast(above)
		is = is || listsNames(list) || strings.EqualFold(list, "commands")
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment != "" && strings.Trim(segment, "0123456789") == "" {
			return false
		}
		is = is || isManual(segment)
	}
	return is
}

// isArticle reports whether a path is a name below a date and below nothing else, as /2024/11/05/vote/ and /blog/2024/11/vote are:
// blogs name their articles so by their titles. An action on an article has its name before it, and a program a dot.
func isArticle(path string) bool {
	path = strings.Trim(path, "/")
	for _, folder := range []string{"blog/", "news/"} {
		path = strings.TrimPrefix(path, folder)
	}
	segments := strings.SplitN(path, "/", 5)
	n := len(segments)
	if n < 3 || n > 4 || n == 4 && !isWithin(segments[2], "01", "31") || strings.Contains(segments[n-1], ".") {
		return false
	}
	return isWithin(segments[0], "1990", "2099") && isWithin(segments[1], "01", "12")
}

// isWithin reports whether a segment is a number from least to most, with as many digits as these.
func isWithin(segment, least, most string) bool {
	return len(segment) == len(least) && strings.Trim(segment, "0123456789") == "" && least <= segment && segment <= most
}

// isManual reports whether a segment of a path is the name of a manual, as docs or docs-api. Of most names it must be the whole: a
// program in which books are written and removed has a user-guide, too, and there is a help-desk.
func isManual(segment string) bool {
	segment = strings.ToLower(segment)
	switch segment {
	case "man", "manual", "manuals", "help", "handbook", "guide", "guides", "tutorial", "tutorials", "glossary":
		return true
	}
	for word := range strings.FieldsFuncSeq(segment, func(r rune) bool { return r == '-' || r == '_' }) {
		switch word {
		case "doc", "docs", "documentation", "reference", "apidoc", "apidocs":
			return true
		}
	}
	return false
}

// isStatic reports whether a host serves nothing but files, so that no request to it does anything.
func isStatic(host string) bool {
	for _, domain := range []string{".github.io", ".gitlab.io", ".readthedocs.io"} {
		if strings.HasSuffix(host, domain) {
			return true
		}
	}
	return false
}

// listsNames reports whether a folder has a page for each name of something, as /tag/delete, or /_category/delete in a wiki whose
// own pages have an underscore.
func listsNames(folder string) bool {
	switch strings.TrimPrefix(strings.ToLower(folder), "_") {
	case "tag", "tags", "tagged", "category", "categories", "keyword", "keywords", "term", "word", "lemma", "dictionary":
		return true
	}
	return false
}

// isHelp reports whether a path is that of a program's help, with a query that says no more than what it is asked about, as in
// /help?cmd=delete.
func isHelp(path, query string) bool {
	_, last := cutLast(strings.TrimSuffix(path, "/"))
	return strings.EqualFold(last, "help") && !strings.ContainsAny(query, "&;")
}

// cutLast cuts the last segment off a path.
func cutLast(path string) (above, last string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}

// isDocument reports whether a segment has an extension that is not one of programs which answer requests.
func isDocument(segment string) bool {
	i := strings.LastIndexByte(segment, '.')
	if i <= 0 || i == len(segment)-1 {
		return false
	}
	switch ext := strings.ToLower(segment[i+1:]); ext {
	case "cgi", "fcgi", "pl", "do", "action", "cfm", "exe", "dll":
		return false
	default:
		return !strings.HasPrefix(ext, "php") && !strings.HasPrefix(ext, "asp") && !strings.HasPrefix(ext, "jsp")
	}
}

func (a actions) word(s string) string {
	if s == "" || len(s) > 64 {
		return ""
	}
	if w := plainWord(s); a.words[w] {
		return w
	}
	if dot := strings.IndexByte(s, '.'); dot > 0 && !isSource(s) {
		if w := plainWord(s[:dot]); a.words[w] {
			return w
		}
	}
	return ""
}

// isSource reports whether a name is of a file that no server runs: where sources are browsed, tree/remove.go?id=5 shows one.
func isSource(name string) bool {
	switch strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]) {
	case "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "m", "s", "go", "rs", "java", "kt", "scala", "swift", "cs", "fs", "vb", "d",
		"el", "hs", "ml", "mli", "erl", "ex", "exs", "clj", "f90", "r", "jl", "js", "mjs", "ts", "jsx", "tsx", "vue", "css", "scss",
		"sql", "md", "rst", "adoc", "txt", "tex", "pod", "yaml", "yml", "toml", "ini", "patch", "diff", "po":
		return true
	}
	return false
}

// plainWord folds the spellings of a name into one: "Add-To_Cart" and "addtocart" are the same.
func plainWord(s string) string {
	plain := true
	for i := range len(s) {
		if c := s[i]; c < 'a' || c > 'z' {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	if strings.IndexByte(s, '%') >= 0 {
		if u, err := url.PathUnescape(s); err == nil {
			s = u
		}
	}
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '+' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}
