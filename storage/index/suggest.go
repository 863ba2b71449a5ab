package index

// suggest guesses what a query with few hits was meant to be.
func (s *search) suggest() error { return nil }
