package trap

import (
	"fmt"
	"slices"
	"strings"
)

// A combination is a list, or what else a query asks for, by several conditions at once: /issues?labels=1,2&milestone=3. It is
// known without one of them, for two of them at least. Of thirty labels there are a thousand million sets, each linked from those
// that are one smaller; and what is listed by a set is listed by each of its labels, too.

// suspectCombinationLocked suspects a combination when the last ones by the same parameters on its path, or more of them all over
// its origin, said nothing new and led to nothing but further ones, larger ones among them. Those that lead to none that are larger
// have an end, as tables by station and year do: they say nothing for and nothing against it.
func (d *Detector) suspectCombinationLocked(u URL) (Finding, bool) {
	if d.o.Guises < 0 {
		return Finding{}, false
	}
	for _, place := range combinationPlaces(u.PathQuery) {
		least := d.leastGuises(place)
		if n, _ := d.guises.Get(siteOf(u), hashOf(u.Origin, place)); n >= least && d.isCombinationLocked(u) {
			const evidence = "%d such combinations of conditions in a row said nothing new and led to nothing but further ones"
			return Finding{Guises, u.Origin + place, fmt.Sprintf(evidence, least)}, true
		}
	}
	return Finding{}, false
}

// combinationLocked takes in a page after its links and its text were.
func (d *Detector) combinationLocked(p Page) {
	if d.o.Guises < 0 {
		return
	}
	d.weighLocked(p.URL)
	if !d.isCombinationLocked(p.URL) {
		return
	}
	isVain, grows, size := d.now.said, false, len(withoutOne(p.URL.PathQuery))
	for i, u := range p.Links {
		if isVain && d.known[i].link == nil {
			isVain = u.Origin == p.URL.Origin && d.isFurtherLocked(p.URL, u)
			grows = grows || len(withoutOne(u.PathQuery)) > size
		}
	}
	if isVain && !grows {
		return
	}
	for _, place := range combinationPlaces(p.URL.PathQuery) {
		site, h := siteOf(p.URL), hashOf(p.URL.Origin, place)
		n := 0
		if isVain {
			n, _ = d.guises.Get(site, h)
			n++
		}
		d.guises.Put(site, h, n)
	}
}

// weighLocked weighs whether pages by the same parameters as this one said nothing new. One that says what is new weighs twice.
func (d *Detector) weighLocked(u URL) {
	names := conditionNames(u.PathQuery)
	if len(names) == 0 {
		return
	}
	site, key := siteOf(u), weightKey(u.Origin, names)
	n, _ := d.guises.Get(site, key)
	if d.now.said {
		n++
	} else {
		n -= 2
	}
	d.guises.Put(site, key, min(max(n, 0), 2*leastWeight))
}

// leastWeight is what parameters must weigh to be conditions.
const leastWeight = 4

// weightKey is that of parameters on any path.
func weightKey(origin string, names []string) uint64 {
	return hashOf(origin, anyPath+conditionsStart+strings.Join(names, ","))
}

// isFurtherLocked reports whether a link leads to the same list by other conditions. What it adds may name an entry: the German of
// ?category=3&id=17, ?lang=de&category=3&id=17, is linked from ?lang=de&category=3. So pages that have it, and one of the others
// less, must have said nothing new.
func (d *Detector) isFurtherLocked(from, to URL) bool {
	if !isFurther(from.PathQuery, to.PathQuery) {
		return false
	}
	names, has, site := conditionNames(from.PathQuery), conditionNames(to.PathQuery), siteOf(to)
	i := slices.IndexFunc(has, func(name string) bool { return !slices.Contains(names, name) })
	if i < 0 {
		return true
	}
	isCondition := false
	for _, less := range withoutOne(to.PathQuery) {
		if by := conditionNames(less); slices.Contains(by, has[i]) && d.isKnownLocked(site, hashOf(to.Origin, less)) {
			n, _ := d.guises.Get(site, weightKey(to.Origin, by))
			if n < leastWeight {
				return false
			}
			isCondition = true
		}
	}
	return isCondition
}

// isFurther reports whether a link leads to the same list by other conditions: parameters were added, or taken away, or say
// something else. What lacks some and has others is another thing on the path, as ?lang=fr&id=17 is beside ?lang=fr&category=3.
func isFurther(from, to string) bool {
	if listPath(from) != listPath(to) {
		return false
	}
	a, b := conditionNames(from), conditionNames(to)
	missing := func(names []string) func(string) bool {
		return func(name string) bool { return !slices.Contains(names, name) }
	}
	return !slices.ContainsFunc(a, missing(b)) || !slices.ContainsFunc(b, missing(a))
}

// isCombinationLocked reports whether a URL is known without one of its conditions, for two of them.
func (d *Detector) isCombinationLocked(u URL) bool {
	known, site := 0, siteOf(u)
	for _, less := range withoutOne(u.PathQuery) {
		known += one(d.isKnownLocked(site, hashOf(u.Origin, less)))
	}
	return known >= 2
}

// combinationPlaces returns the two places of a combination: /issues?{labels,state} of all by the same parameters on its path, and
// that on any path of its origin; nil when it has no query.
func combinationPlaces(pathQuery string) []string {
	names := conditionNames(pathQuery)
	if len(names) == 0 {
		return nil
	}
	by := conditionsStart + strings.Join(names, ",") + "}"
	return []string{listPath(pathQuery) + by, anyPath + by}
}

// conditionNames returns the names of the parameters of an address in order, each once.
func conditionNames(pathQuery string) (names []string) {
	_, query := cutQuery(pathQuery)
	for p := range strings.FieldsFuncSeq(query, endsParameter) {
		if name, _, _ := strings.Cut(p, "="); !saysPage(p) {
			names = append(names, withoutDigits(name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// conditionsStart stands before the names of parameters in the place of a combination.
const conditionsStart = "?{"

// isOfConditions reports whether a place is one of combinations.
func isOfConditions(place string) bool { return strings.Contains(place, conditionsStart) }

// mostConditions bounds what is looked at of an address.
const mostConditions = 32

// withoutOne returns an address without one of its conditions, each in turn: a parameter with what belongs to it, or one of several
// values of it, as in labels=1,2. Which page of a list is shown is no condition.
func withoutOne(pathQuery string) (all []string) {
	path, query := cutQuery(pathQuery)
	if len(query) == 0 || len(path)+1+len(query) != len(pathQuery) {
		return nil
	}
	parameters := strings.FieldsFunc(query, endsParameter)
	end := strings.IndexFunc(query, endsParameter)
	if len(parameters) > mostConditions {
		return nil
	}
	separator := "&"
	if end >= 0 {
		separator = query[end : end+1]
	}
	address := func(parameters []string) string {
		if len(parameters) == 0 {
			return path
		}
		return path + "?" + strings.Join(parameters, separator)
	}
	for i, p := range parameters {
		name, value, _ := strings.Cut(p, "=")
		belongs := func(other string) bool { return belongTogether(name, other) }
		if value == "" || saysPage(p) || slices.ContainsFunc(parameters[:i], belongs) {
			continue
		}
		all = append(all, address(slices.DeleteFunc(withoutParameter(parameters, i), belongs)))
		for less := range withoutMember(value) {
			if len(all) >= mostConditions {
				return all
			}
			with := slices.Clone(parameters)
			with[i] = name + "=" + less
			all = append(all, address(with))
		}
	}
	return all
}

// belongTogether reports whether a parameter says more of what the one of that name says, since their names end in the same word:
// filter_color=red&query_type_color=or, or min_price=5&max_price=9.
func belongTogether(name, parameter string) bool {
	other, _, _ := strings.Cut(parameter, "=")
	i, j := strings.LastIndexByte(name, '_'), strings.LastIndexByte(other, '_')
	return i > 0 && j > 0 && name != other && name[i:] == other[j:] && len(name)-i > 3
}

// withoutParameter returns parameters without one. Those behind it that are counted, as f[0]=a&f[1]=b, are counted anew.
func withoutParameter(parameters []string, i int) []string {
	less := slices.Delete(slices.Clone(parameters), i, i+1)
	name, _, _ := strings.Cut(parameters[i], "=")
	for j := i; j < len(less); j++ {
		next, value, has := strings.Cut(less[j], "=")
		if has && next != name && withoutDigits(next) == withoutDigits(name) {
			less[j], name = name+"="+value, next
		}
	}
	return less
}

// withoutMember yields a value that names several things without one of them, each in turn; nothing when it names one.
func withoutMember(value string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, separator := range []string{",", "%2C", "%2c", "|", "%7C", "%7c", "+", "%20"} {
			if members := strings.Split(value, separator); len(members) > 1 {
				for i := range members {
					if !yield(strings.Join(slices.Delete(slices.Clone(members), i, i+1), separator)) {
						return
					}
				}
				return
			}
		}
	}
}

// withoutDigits returns the name of a parameter that may be counted, as f[0] and f[1] are.
func withoutDigits(name string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, name)
}

// listPath returns the path of a list, of which one of its pages may have the number at the end: /shop/page/2.
func listPath(pathQuery string) string {
	path, _ := cutQuery(pathQuery)
	above, number := cutLast(strings.TrimSuffix(path, "/"))
	if list, isPage := strings.CutSuffix(above, "/page"); isPage && isNumber(number) {
		return list + strings.TrimPrefix(path, above+"/"+number)
	}
	return path
}

// cutLast cuts the last segment off a path.
func cutLast(path string) (above, last string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}
