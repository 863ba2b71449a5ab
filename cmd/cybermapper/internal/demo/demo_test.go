package demo

import "testing"

// On a busy machine sites of its own answer slowly. That makes pauses longer, and must not end the crawl before all is asked for.
func TestSettings_SlowAnswersDoNotOutlastThePatience(t *testing.T) {
	if c := settings(); 2*c.Politeness.MaxDelay > c.Crawl.Patience {
		t.Errorf("a slow answer is followed by a pause of %v, and the patience is %v", c.Politeness.MaxDelay, c.Crawl.Patience)
	}
}
