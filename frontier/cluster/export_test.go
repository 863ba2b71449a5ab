package cluster

// PartitionOf returns the partition of a site.
func (f *Frontier) PartitionOf(site string) int { return f.place.of(site) }
