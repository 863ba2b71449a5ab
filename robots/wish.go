package robots

// MaxWishes is how many lines of one group with wishes are kept: Visit-time, Clean-param, Content-Usage and Content-Signal.
const MaxWishes = 1000

// A wish is a line that neither opens nor closes anything and is no pace: when to come, what to compare, what for.
type wish struct {
	line  int
	field field
	value string
	text  string // the line, as written
}

// readWish keeps a wish with the group it stands in, as readPace does.
func (r *reader) readWish(l line) {
	switch l.field {
	case fieldVisit, fieldClean, fieldUsage, fieldSignal:
	default:
		return
	}
	w := wish{line: l.number, field: l.field, value: l.value, text: l.ruleText()}
	switch {
	case r.number == 0:
		addWish(&r.global.wishes, w)
	case !r.ended:
		addWish(&r.group.wishes, w)
	}
}

func addWish(list *[]wish, w wish) {
	if len(*list) < MaxWishes {
		*list = append(*list, w)
	}
}

// wishes are what a file wishes of one robot, ready to be asked.
type wishes struct {
	windows []Window
	cleans  []cleanParam
	uses    []useLine
}

// readWishes reads the values of the lines that the first reading heard; a field of which it heard nothing is that of the next.
func readWishes(hearings []hearing) (w wishes) {
	lines := func(f field) []wish {
		for i := range hearings {
			if heard := hearings[i].wished(f); heard != nil {
				return heard
			}
		}
		return nil
	}
	for _, l := range lines(fieldVisit) {
		if window, ok := ParseWindow(l.value); ok {
			window.Line, window.Text = l.line, l.text
			w.windows = append(w.windows, window)
		}
	}
	for _, l := range lines(fieldClean) {
		if c, ok := parseClean(l); ok {
			w.cleans = append(w.cleans, c)
		}
	}
	for _, f := range [...]field{fieldUsage, fieldSignal} {
		for _, l := range lines(f) {
			w.uses = append(w.uses, parseUse(l))
		}
	}
	return w
}

func (w *wishes) count() int { return len(w.windows) + len(w.cleans) + len(w.uses) }
