package cluster

import (
	"errors"
	"testing"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
)

// A badLog takes nothing.
type badLog struct {
	disk.Log
	err error
}

func (l badLog) Append([]byte) (uint64, error) { return 0, l.err }

// A right is a Tenure that holds, or does not.
type right struct {
	Tenure
	valid bool
}

func (r right) Valid() bool { return r.valid }

// Ensure that what a log does not take is said to be lost to another node when the right is over, and then only.
func TestWatchedLog_Lost(t *testing.T) {
	why := errors.New("nobody answers")
	for _, valid := range []bool{false, true} {
		_, err := newWatchedLog(badLog{err: why}, right{valid: valid}, 1, nil).Append(nil)
		if !errors.Is(err, why) || errors.Is(err, frontier.ErrLost) == valid {
			t.Errorf("while the right holds is %v: %v", valid, err)
		}
	}
}
