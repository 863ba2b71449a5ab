package trap

import (
	"slices"
	"strings"
)

// Conditions stand in paths, too: /tags/a+b+c names a set of tags in one segment, /filter/red/large/new/ one in several. Such a
// path tells less of itself than a query does; what is known without some of the members tells that they are a set.

// mostMembers bounds what is looked at of a path.
const mostMembers = 16

// withoutMemberOfPath returns an address without one member of a set that a segment of its path names, each in turn.
func withoutMemberOfPath(pathQuery string) (all []string) {
	path, query, has := strings.Cut(pathQuery, "?")
	segments := strings.Split(path, "/")
	if len(segments) > mostMembers {
		return nil
	}
	with := func(segments []string) {
		less := strings.Join(segments, "/")
		if has {
			less += "?" + query
		}
		all = append(all, less)
	}
	for i, s := range segments {
		for less := range withoutMember(s) {
			if len(all) >= mostConditions {
				return all
			}
			one := slices.Clone(segments)
			one[i] = less
			with(one)
		}
	}
	return all
}

// isFurtherPath reports whether two paths are the same, or name sets one of which has all of the other: in one segment, or in the
// segments behind the first.
func isFurtherPath(a, b string) bool {
	if a == b {
		return true
	}
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	if len(as) == len(bs) {
		differ := 0
		for i := range as {
			if as[i] != bs[i] {
				differ++
				as[0], bs[0] = as[i], bs[i] // the first is empty
			}
		}
		return differ == 1 && isSubset(membersOf(as[0]), membersOf(bs[0]))
	}
	return len(as) > 2 && len(bs) > 2 && as[1] == bs[1] && isSubset(as, bs)
}

// isSameElsewhere reports whether two addresses differ in one segment of their path, or one has one more: the same conditions, in
// another language or of another list.
func isSameElsewhere(a, b string) bool {
	a, query, _ := strings.Cut(a, "?")
	b, other, _ := strings.Cut(b, "?")
	if a == b || query != other {
		return false
	}
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	if len(as) > len(bs) {
		as, bs = bs, as
	}
	same := 0 // segments before the one
	for same < len(as) && as[same] == bs[same] {
		same++
	}
	switch len(bs) - len(as) {
	case 0:
		return slices.Equal(as[same+1:], bs[same+1:])
	case 1:
		return slices.Equal(as[same:], bs[same+1:])
	}
	return false
}

// membersOf returns what a segment names.
func membersOf(segment string) []string {
	for _, separator := range memberSeparators {
		if members := strings.Split(segment, separator); len(members) > 1 {
			return members
		}
	}
	return []string{segment}
}

// isSubset reports whether one of two sets has all of the other.
func isSubset(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
}

// anySet stands for a set in the place of one.
const anySet = "{}"

// setPlaceLocked returns the place of sets in a path, which is the path with {} for the set: in one segment, or from the first
// segment on without which it is known.
func (d *Detector) setPlaceLocked(u URL) (place string, ok bool) {
	path, query, _ := strings.Cut(u.PathQuery, "?")
	if len(membersOf(path)) > 1 {
		for segment := range strings.SplitSeq(path, "/") {
			if len(membersOf(segment)) > 1 {
				segment = anySet
				ok = true
			}
			place += "/" + segment
		}
		if names := conditionNames(path + "?" + query); len(names) > 0 {
			place += conditionsStart + strings.Join(names, ",") + "}"
		}
		return place[1:], ok
	}
	if start := d.setStartLocked(u); start > 0 {
		return strings.Join(setSegments(path)[:start], "/") + "/" + anySet, true
	}
	return "", false
}

// setStartLocked returns at which segment of a path without a query a set begins that is named by that and those behind it: the
// path is known without one of them, for two of them, or with one of them alone. It is zero for any other, and never the first one.
func (d *Detector) setStartLocked(u URL) int {
	segments := setSegments(u.PathQuery)
	end := len(segments) - one(len(segments) > 0 && segments[len(segments)-1] == "")
	for start := 2; start+1 < end; start++ {
		var less, alone []string
		for i := start; i < end; i++ {
			less = append(less, strings.Join(slices.Delete(slices.Clone(segments), i, i+1), "/"))
			alone = append(alone, strings.Join(slices.Concat(segments[:start], segments[i:i+1], segments[end:]), "/"))
		}
		if d.isKnownLocked(siteOf(u), hashOf(u.Origin, less[0])) && d.areKnownLocked(u, less) || d.areKnownLocked(u, alone) {
			return start
		}
	}
	return 0
}

// setSegments returns the segments of a path that may name a set by several of them: it has two behind the first, which page of a
// list it is aside, and no query. It is nil for any other.
func setSegments(pathQuery string) []string {
	path := listPath(pathQuery)
	n := strings.Count(strings.TrimSuffix(path, "/"), "/")
	if n < 3 || n > mostMembers || strings.Contains(pathQuery, "?") {
		return nil
	}
	return strings.Split(path, "/")
}
