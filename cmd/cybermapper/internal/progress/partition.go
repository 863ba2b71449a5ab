package progress

import "github.com/cybermapper/cybermapper/frontier"

// A Partition is one that this node of a shared crawl owns.
type Partition struct {
	Partition int     `json:"partition"`
	Epoch     uint64  `json:"epoch"`             // grows with each owner
	LeaseAge  float64 `json:"lease_age_seconds"` // since the lease was renewed
	Rate      float64 `json:"urls_per_second"`   // settled of late
	Total     Totals  `json:"total"`
}

// PartitionOf returns how a partition stands.
func PartitionOf(number int, epoch uint64, leaseAge, rate float64, s frontier.Stats) Partition {
	return Partition{Partition: number, Epoch: epoch, LeaseAge: leaseAge, Rate: rate, Total: TotalsOf(s)}
}
