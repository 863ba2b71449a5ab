package audit

import "github.com/cybermapper/cybermapper/robots/accesslog"

// A witness remembers what a host answered to requests for robots.txt, to tell since when a file whose age is presumed may have
// been there. Each answer of a size that was not there before begins an era: the file may have been changed.
type witness struct {
	answers []answerKind
	eras    int
	began   [maxEras]int64 // by era; the first has always been
}

// An answerKind is the answers of one size.
type answerKind struct {
	size        int64 // none or empty, or that
	era         int   // that began with it
	first, last int64
}

// Sizes of what has none. That an answer was empty shows only that another came later: who breaks off gets nothing either.
const (
	none  = -1 // there was no file
	empty = -2
)

// maxEras bounds the sizes that are told apart.
const maxEras = 32

// add takes in an answer.
func (w *witness) add(e *accesslog.Entry) {
	size := e.Bytes
	switch {
	case e.Status == 404 || e.Status == 410:
		size = none
	case e.Status != 200 || len(e.Method) > 0 && string(e.Method) != "GET": // some logs have no methods
		return
	case size <= 0:
		size = empty
	}
	at := e.Time.UnixNano()
	for i := range w.answers {
		if k := &w.answers[i]; k.size == size {
			k.first, k.last = min(k.first, at), max(k.last, at)
			return
		}
	}
	if len(w.answers) < maxEras {
		if len(w.answers) > 0 {
			w.eras++
			w.began[w.eras] = at
		}
		w.answers = append(w.answers, answerKind{size, w.eras, at, at})
	}
}

// era returns in which era the log is.
func (w *witness) era() int {
	if w == nil {
		return 0
	}
	return w.eras
}

// unknown returns the first of the eras that began in the 24 hours before a moment and of whose robots.txt somebody has none who
// last got it at another: who may use what was there before. It is the one to come if there is none.
func (w *witness) unknown(at, fetched int64) int {
	if w == nil {
		return 1
	}
	era := w.eras + 1
	for era > 1 && w.began[era-1] > max(fetched, at-int64(grace)) {
		era--
	}
	return era
}

// inForce returns the era from which on a file of that size may have been there, to the end of the log, and when that began: the
// one in which answers of its size begin, if others ended before; or, when no answer has its size, the last one before which all
// others ended. If it is said in that one that there is no file, it was not there in all of the log, and the era is one to come.
func (w *witness) inForce(size int64) (era int, since int64) {
	if w == nil || len(w.answers) == 0 {
		return 0, 0
	}
	if last := w.answers[len(w.answers)-1]; len(w.answers) == 1 && last.size == none {
		return w.eras + 1, last.last + 1
	}
	for _, k := range w.answers {
		if k.size != size {
			continue
		}
		for _, o := range w.answers {
			if o.last < k.first {
				return k.era, k.first
			}
		}
		return 0, 0
	}
	for i := len(w.answers) - 1; i > 0; i-- {
		k, clean := w.answers[i], true
		for _, o := range w.answers[:i] {
			clean = clean && o.last < k.first
		}
		switch {
		case clean && k.size == none:
			return w.eras + 1, k.last + 1
		case clean && k.size != empty:
			return k.era, k.first
		}
	}
	return 0, 0
}
