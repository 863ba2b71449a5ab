package serve

import (
	"fmt"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
)

// partitionMetrics are about the partitions of a crawl of many nodes that a job owns. There are as many labels as partitions, whose
// number is fixed.
type partitionMetrics struct {
	urls, epoch, lease, rate *metric
}

func newPartitionMetrics() *partitionMetrics {
	return &partitionMetrics{
		urls:  &metric{name: "cybermapper_partition_urls", typ: "gauge", help: "URLs of an owned partition by state."},
		epoch: &metric{name: "cybermapper_partition_epoch", typ: "gauge", help: "Epoch of an owned partition."},
		lease: &metric{name: "cybermapper_partition_lease_age_seconds", typ: "gauge", help: "Time since its lease was renewed."},
		rate:  &metric{name: "cybermapper_partition_urls_per_second", typ: "gauge", help: "URLs settled in it, of late."},
	}
}

func (m *partitionMetrics) add(job string, owned []progress.Partition) {
	for _, o := range owned {
		labels := []string{"job", job, "partition", fmt.Sprint(o.Partition)}
		m.urls.add(o.Total.Queued, append(labels, "state", "queued")...)
		m.urls.add(o.Total.Retrying, append(labels, "state", "retrying")...)
		m.urls.add(o.Total.Done, append(labels, "state", "done")...)
		m.epoch.add(o.Epoch, labels...)
		m.lease.add(o.LeaseAge, labels...)
		m.rate.add(o.Rate, labels...)
	}
}

func (m *partitionMetrics) all() []*metric { return []*metric{m.urls, m.epoch, m.lease, m.rate} }
