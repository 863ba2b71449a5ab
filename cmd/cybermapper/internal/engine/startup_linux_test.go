package engine

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestUntouched(t *testing.T) {
	const smaps = `00400000-01b8e000 r-xp 00000000 fe:00 9996563                            /bin/cyber mapper
Size:              24120 kB
Rss:               15064 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd ex mr mw me
01b8e000-034ff000 r--p 0178e000 fe:00 9996563                            /bin/cyber mapper
Anonymous:             4 kB
Swap:                  0 kB
034ff000-036c5000 r--p 030ff000 fe:00 9996563                            /bin/cyber mapper
Anonymous:             0 kB
Swap:                  4 kB
036c5000-05700000 rw-p 00000000 fe:00 9996563                            /bin/cyber mapper
Anonymous:             0 kB
Swap:                  0 kB
7f000000-7f001000 r--p 00000000 00:00 0
Anonymous:             0 kB
Swap:                  0 kB
7f001000-7f002000 r--p 00000000 fe:00 1                          /lib/libc.so
Anonymous:             0 kB
Swap:                  0 kB
7f002000-7f003000 r--p 00000000 fe:00 9996563                    /bin/cyber mapper
Anonymous:             0 kB
Swap:                  0 kB
`
	want := []mapping{{0x400000, 0x1b8e000}, {0x7f002000, 0x7f003000}}
	if got := untouched(strings.NewReader(smaps), "/bin/cyber mapper"); !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}

// Ensure that there is something to forget, and that the program goes on.
func TestForgetStartUp(t *testing.T) {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Skip(err)
	}
	smaps, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer smaps.Close()
	if len(untouched(smaps, program)) == 0 {
		t.Errorf("no mapping of %s is untouched", program)
	}
	forgetStartUp()
}
