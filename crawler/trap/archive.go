package trap

import (
	"fmt"
	"strings"
)

// suspectArchiveLocked suspects an archive of one revision, once enough of its place, or of the origin, were made for us. A program
// that shows sources offers one for each revision, in several formats, and packs it when it is asked for; one that shows mail does
// so for each thread, each message and each month.
func (d *Detector) suspectArchiveLocked(u URL) (Finding, bool) {
	if d.o.Archives < 0 {
		return Finding{}, false
	}
	place, ok := archivesOf(u.PathQuery)
	if !ok {
		return Finding{}, false
	}
	site := siteOf(u)
	here, _ := d.archives.Get(site, hashOf(u.Origin, place))
	n, _ := d.archives.Get(site, hashOf(u.Origin, ""))
	switch {
	case here >= d.o.Archives:
		return Finding{Archives, u.Origin + place, fmt.Sprintf("%d archives of one revision each were made for us", here)}, true
	case n >= originArchives*d.o.Archives:
		return Finding{Archives, u.Origin + anyPath, fmt.Sprintf("the host made %d archives of one revision each for us", n)}, true
	}
	return Finding{}, false
}

// originArchives is how many times as many archives are taken from all places of an origin as from one.
const originArchives = 4

// archiveLocked counts an archive of one revision.
func (d *Detector) archiveLocked(p Page) {
	if !p.Made || len(p.Links) > 0 {
		return
	}
	place, ok := archivesOf(p.URL.PathQuery)
	if !ok {
		return
	}
	for _, h := range []uint64{hashOf(p.URL.Origin, place), hashOf(p.URL.Origin, "")} {
		n, _ := d.archives.Get(siteOf(p.URL), h)
		d.archives.Put(siteOf(p.URL), h, n+1)
	}
}

// archivesOf returns the path and query of an archive with N for the names of its revision, as those of commits are, or of the
// message that its folder is of, or for all numbers if it is of a range of dates, or of a revision that a parameter tells by its
// number: the place of which there is an archive for each. It is one if the last segment of the path, or a value of the query, is
// the name of an archive, or its extension alone; or as Loggerhead writes them, /tarball/17. Those of a folder of a revision are a
// place of their own, /archive/N.zip/, whatever the folder is.
func archivesOf(pathQuery string) (place string, ok bool) {
	path, query, _ := strings.Cut(pathQuery, "?")
	if whole := cutArchived(path); whole != path {
		place, _ := archivesOf(whole)
		return place + "/", true
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	numbered := isNumber(name) && strings.HasSuffix(path[:len(path)-len(name)], "/tarball/")
	is, dates := isArchive(name) || numbered, 0
	for p := range strings.FieldsFuncSeq(query, isBetween) {
		name, value, _ := strings.Cut(p, "=")
		is = is || isArchive(value)
		dates += one(isDate(value))
		numbered = numbered || isNumber(value) && (name == "rev" || name == "revision" || name == "pathrev")
	}
	if !is {
		return "", false
	}
	folders := path[:len(path)-len(name)]
	cut := cutMessage(folders)
	ok, pathQuery = cut != folders, cut+pathQuery[len(folders):]
	var b strings.Builder
	rest := pathQuery
	for rest != "" {
		n := strings.IndexFunc(rest, func(r rune) bool { return !isAlphanumeric(r) })
		if n < 0 {
			n = len(rest)
		}
		isHash := isRevision(rest[:n]) && !endsUUID(pathQuery[:len(pathQuery)-len(rest)])
		if isHash || (dates > 1 || numbered) && isNumber(rest[:n]) {
			ok = true
			b.WriteByte('N')
		} else {
			b.WriteString(rest[:n])
		}
		if n < len(rest) {
			b.WriteByte(rest[n])
			n++
		}
		rest = rest[n:]
	}
	return b.String(), ok
}

// cutArchived cuts off the folder that an archive of a revision is of, as hgweb writes it: /archive/a1927de92b15.zip/src/lib/.
func cutArchived(path string) string {
	if !strings.HasSuffix(path, "/") {
		return path
	}
	for from := 0; from < len(path); {
		end := from + strings.IndexByte(path[from:], '/')
		name, extension, _ := strings.Cut(path[from:end], ".")
		if isRevision(name) && isArchive(extension) {
			return path[:end]
		}
		from = end + 1
	}
	return path
}

// cutMessage returns folders with N for each that is named as a message is, by its Message-ID (RFC 5322 section 3.6.4): it ends in
// the name of a host. What has a version behind the @ is a package.
func cutMessage(folders string) string {
	if !strings.Contains(folders, "@") {
		return folders
	}
	names := strings.Split(folders, "/")
	for i, name := range names {
		at := strings.LastIndexByte(name, '@')
		host := name[at+1:]
		top := host[strings.LastIndexByte(host, '.')+1:]
		isHost := len(host) > len(top) && len(top) > 1 && !isDigit(host[0]) && strings.IndexFunc(top, isNoLetter) < 0
		if at > 0 && isHost {
			names[i] = "N"
		}
	}
	return strings.Join(names, "/")
}

func isNoLetter(r rune) bool { return !isAlphanumeric(r) || '0' <= r && r <= '9' }

func isBetween(r rune) bool { return r == '&' || r == ';' }

func isAlphanumeric(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r >= 0x80
}

// isDate reports whether a value is a day, as 2026-11-26.
func isDate(value string) bool {
	const form = "YYYY-MM-DD"
	if len(value) != len(form) {
		return false
	}
	for i := range len(form) {
		if isDigit(value[i]) == (form[i] == '-') || form[i] == '-' && value[i] != '-' {
			return false
		}
	}
	return true
}

// isRevision reports whether a word is the hash of a revision, in hexadecimal digits, perhaps cut short, or in base 32. A number is
// none.
func isRevision(word string) bool {
	if len(word) < shortRevision {
		return false
	}
	if len(word) == base32Revision && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == "" {
		return true
	}
	letters := 0
	for i := range len(word) {
		switch c := word[i] | 0x20; {
		case 'a' <= c && c <= 'f':
			letters++
		case c < '0' || c > '9':
			return false
		}
	}
	return 0 < letters && letters < len(word)
}

// endsUUID reports whether what follows a text is the last group of a UUID, which names a thing and not its revision.
func endsUUID(before string) bool {
	n := len(before)
	return n > 19 && before[n-1] == '-' && before[n-6] == '-' && before[n-11] == '-'
}

// shortRevision is how many digits the shortest names of revisions have in addresses: 10 those of Fossil, 12 those of Mercurial.
const shortRevision = 10

// base32Revision is how many digits the hash of a message has in base 32, as HyperKitty names messages and threads.
const base32Revision = 32

// isArchive reports whether a name is that of an archive, or its extension alone.
func isArchive(name string) bool {
	switch strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]) {
	case "tar", "tgz", "tbz", "tbz2", "txz", "tlz", "gz", "bz2", "xz", "lz", "lzma", "zst", "zip", "7z", "bundle", "sqlar":
		return true
	}
	return false
}
