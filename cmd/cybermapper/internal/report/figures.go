package report

import (
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// Figures is what a crawl did, over all its runs. Its JSON is what report --json prints; durations are in milliseconds where
// the key ends in _ms.
type Figures struct {
	Format  int              `json:"format"` // 1
	Job     string           `json:"job"`    // directory
	Time    time.Time        `json:"time"`   // of gathering
	Status  *progress.Report `json:"status"` // how the crawl stands: as in status.json
	Records uint64           `json:"ledger_records"`
	Files   int              `json:"ledger_files"`
	First   time.Time        `json:"first,omitzero"` // record of the ledger
	Last    time.Time        `json:"last,omitzero"`

	FileNames []string `json:"-"` // of the first files

	Requests   Requests   `json:"requests"`
	Stored     Stored     `json:"stored"`
	Series     Series     `json:"series"`
	Hosts      Hosts      `json:"hosts"`
	Refusals   Table      `json:"refusals"` // by gate and reason
	Outcomes   Table      `json:"outcomes"` // of URLs, by outcome and reason
	Rests      Table      `json:"rests"`    // of sites, by reason
	Traps      Table      `json:"traps"`    // by reason and site
	Robots     Robots     `json:"robots"`
	Politeness Politeness `json:"politeness"`
	Runs       []Run      `json:"runs"` // the latest
	RunsN      int        `json:"runs_total"`
}

// Requests are all that left, answered or not.
type Requests struct {
	Count     int64    `json:"count"`
	Bytes     int64    `json:"bytes"` // received
	Failed    int64    `json:"failed"`
	Truncated int64    `json:"truncated"`
	Retries   int64    `json:"retries"`
	Purposes  Table    `json:"purposes"`
	Statuses  Table    `json:"statuses"`   // of HTTP; those that were not answered are in Failures
	Failures  Table    `json:"failures"`   // by kind
	Cut       Table    `json:"truncation"` // by the limit that cut the body
	Response  Spread   `json:"response"`   // from sending the request to the last byte
	Times     []Bar    `json:"response_histogram"`
	Troubled  []Moment `json:"troubled"` // the first ones that failed or were cut
}

// A Moment is one request, to look at more closely.
type Moment struct {
	Seq   uint64    `json:"seq"` // number of the record
	Start time.Time `json:"start"`
	URL   string    `json:"url"`
	What  string    `json:"what"`
}

// Stored are the pages that are kept.
type Stored struct {
	Pages          int64 `json:"pages"`
	Bytes          int64 `json:"bytes"`
	Types          Table `json:"media_types"`
	Requisites     int64 `json:"requisites"` // that pages need, and no pages
	RequisiteBytes int64 `json:"requisite_bytes"`
	Duplicates     int64 `json:"duplicates"` // pages whose body had been stored before
	Saved          int64 `json:"saved"`      // bytes that were not stored again
	Copies         Table `json:"copies"`     // of one file, by file
	Twins          Table `json:"twins"`      // pages also at another origin of the same site, by both origins
	Cut            int64 `json:"truncated"`
	Latest         []Row `json:"latest"` // pages stored last: Name is the file, Sample the URL
}

// Hosts tells of each site how it was treated.
type Hosts struct {
	Known  int    `json:"known"`  // told apart
	Busy   []Host `json:"busy"`   // most requests first
	Slow   []Host `json:"slow"`   // highest 90th percentile of the response time first
	Others Host   `json:"others"` // the sum of what is not in Busy; without times and robots.txt
	Full   bool   `json:"full,omitempty"`
}

// A Host is one site: what shares a queue and a pace.
type Host struct {
	Site     string `json:"site"`
	Requests int64  `json:"requests"`
	Pages    int64  `json:"pages"` // stored
	Bytes    int64  `json:"bytes"` // received
	Failed   int64  `json:"failed"`
	Refused  int64  `json:"refused"` // links that were not followed
	Response Spread `json:"response"`
	Outcome  string `json:"robots"`                  // of the latest answer to robots.txt; empty when it was never asked for
	Answer   string `json:"robots_answer,omitempty"` // its status, or the failure
	Digest   string `json:"robots_digest,omitempty"` // of the latest file that permitted a request
}

// Robots tells what came of asking for robots.txt.
type Robots struct {
	Requests int64 `json:"requests"`
	Answers  Table `json:"answers"`  // to all requests, by what they mean and the status
	Sites    Table `json:"sites"`    // by what the latest answer means, and its status
	Asked    int64 `json:"asked"`    // sites
	Usable   int64 `json:"usable"`   // of these, have a file
	Empty    int64 `json:"empty"`    // of these, an empty one
	Verdicts Table `json:"verdicts"` // by why the request was permitted
	Rules    Table `json:"rules"`    // that refused most, by site
}

// Politeness compares the pauses that were owed to sites with those that were kept.
type Politeness struct {
	Measured int64   `json:"measured"` // requests with one before them at the same site
	First    int64   `json:"first"`    // requests without: nothing was owed
	Early    int64   `json:"early"`    // sooner than owed
	Slack    []Bar   `json:"slack"`    // by how much longer than owed the pause was
	Worst    []Pause `json:"worst"`    // least slack first
	Shortest Pause   `json:"shortest"` // least kept
	SetBy    Table   `json:"set_by"`   // which rule made the pause as long as it had to be
}

// A Pause is the time between the end of one request and the start of the next at the same site.
type Pause struct {
	Seq   uint64        `json:"seq"` // number of the record of the later request
	Site  string        `json:"site"`
	URL   string        `json:"url"`
	Owed  ledger.Millis `json:"owed_ms"`
	Kept  ledger.Millis `json:"kept_ms"`
	Slack ledger.Millis `json:"slack_ms"`
}

// A Run is one process that worked on the job.
type Run struct {
	Start   time.Time `json:"start"`
	Stop    time.Time `json:"stop,omitzero"` // zero when it never said that it stops, or not yet
	Why     string    `json:"why,omitempty"`
	Version string    `json:"version"`
	Agent   string    `json:"user_agent"`
}
