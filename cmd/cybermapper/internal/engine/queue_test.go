package engine

import (
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// Ensure that what comes after the older of two snapshots fits into the log of a partition, whatever its size.
func TestJoinOptions_SnapshotsFit(t *testing.T) {
	for _, log := range []config.Size{16 << 20, 1 << 30, 1 << 40} {
		o := JoinOptions(&config.Cluster{Log: log}, "node", "dir", disk.Options{}).Frontier
		if o.SnapshotEvery <= 0 || o.SnapshotMost < o.SnapshotEvery || 3*o.SnapshotMost > int64(log) {
			t.Errorf("a log of %d: a snapshot every %d to %d bytes", log, o.SnapshotEvery, o.SnapshotMost)
		}
	}
}
