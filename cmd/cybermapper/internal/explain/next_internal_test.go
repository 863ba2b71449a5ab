package explain

import (
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/crawler"
)

// What is parked is refused for a guess, so it is said how to overrule that.
func TestExplanation_NextOfWhatIsRefused(t *testing.T) {
	for reason, want := range map[crawler.Reason]string{
		crawler.ReasonEndless:    "nothing; it is refused, until it is released: crawl --release REGEXP",
		crawler.ReasonOutOfScope: "nothing; it is refused",
	} {
		e := &Explanation{State: "refused", Reason: string(reason)}
		if e.next(&job.View{}, &history{}); e.Next != want {
			t.Errorf("%s: next = %q, want %q", reason, e.Next, want)
		}
	}
}
