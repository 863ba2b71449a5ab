package engine

import "github.com/cybermapper/cybermapper/crawler"

// joinEvents joins several sets of listeners into one that calls them in order.
func joinEvents(all ...crawler.Events) crawler.Events {
	var joined crawler.Events
	for _, e := range all {
		joined.Request = both(joined.Request, e.Request)
		joined.Refusal = both(joined.Refusal, e.Refusal)
		joined.Outcome = both(joined.Outcome, e.Outcome)
		joined.Rest = both(joined.Rest, e.Rest)
	}
	return joined
}

func both[E any](first, second func(E)) func(E) {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return func(e E) { first(e); second(e) }
}
