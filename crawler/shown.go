package crawler

import "strings"

// maxShown is how many bytes are shown of what is no URL.
const maxShown = 200

// shown returns what may be told of a reference as a site wrote it, when that is no URL.
func shown(ref string) string {
	ref = withoutUserInfo(ref)
	return ref[:min(len(ref), maxShown)]
}

// withoutUserInfo returns a reference as a site wrote it, without the user name and password that it may hold.
func withoutUserInfo(ref string) string {
	if !strings.Contains(ref, "@") {
		return ref
	}
	start := authorityStart(ref)
	if start < 0 {
		return ref
	}
	end := len(ref)
	if i := strings.IndexAny(ref[start:], `/\?#`); i >= 0 {
		end = start + i
	}
	return ref[:start] + ref[start+strings.LastIndexByte(ref[start:end], '@')+1:]
}

// authorityStart returns where the host begins in a reference, with what may stand before it, or -1. Browsers take any number of
// slashes and backslashes after http: for two.
func authorityStart(ref string) int {
	rest := strings.TrimLeft(ref, " \t\r\n\f")
	scheme, after, ok := strings.Cut(rest, ":")
	web := ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
	if ok && !strings.ContainsAny(scheme, `/\?#@`) {
		rest = after
	}
	host := strings.TrimLeft(rest, `/\`)
	if slashes := len(rest) - len(host); !web && slashes < 2 {
		return -1
	}
	return len(ref) - len(host)
}
