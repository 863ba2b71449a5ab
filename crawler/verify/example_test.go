package verify_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cybermapper/cybermapper/crawler/verify"
)

// A crawl of a few small sites by an early version, of which no pages were kept.
func Example() {
	job := verify.Job{Ledger: "testdata/format1/ledger", Robots: "testdata/format1/robots", Pages: "testdata/format1/pages"}
	report, err := verify.Prove(context.Background(), job, verify.Options{SkipFiles: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Verdict, "over", report.Requests, "requests")
	for _, p := range report.Promises {
		fmt.Println(p.Verdict, p.Text)
	}

	// Output:
	// not shown over 59 requests
	// proven the ledger is whole: no record was altered, dropped, inserted or moved
	// proven every robots.txt that a decision names is stored as it was, and the rule stands in the line named
	// proven every request had a decision under the robots.txt in force then
	// proven nothing was requested that robots.txt disallowed
	// proven nobody was asked for anything after being opted out
	// proven no decision rests on a robots.txt older than allowed
	// proven no gap between requests to a site was shorter than owed, and none was owed that was too short
	// proven a site that asked for a rest, as by 429 or 503, or gave no answer, was left alone as long as the run promises
	// proven no site had more requests in flight at once than allowed: one
	// proven no IP address had more requests in flight at once than allowed
	// proven nothing was requested twice, except robots.txt when due or as a page too, and what had failed or was interrupted
	// proven every refusal by robots.txt names the file in force and the rule that decided
	// proven every record is understood, and fits the clocks and the records around it
	// not shown every page on disk belongs to an allowed request, and is as it was stored
	// not shown every line of the list of pages is as it was written
}
