package cli

import (
	"bufio"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// MaxMemory returns how many bytes of memory the control group of this process may take, as that of a container, before the
// kernel kills it; 0 when nobody says.
func MaxMemory() uint64 { return maxMemory("/") }

// maxMemory reads what stands below root: /proc/self/cgroup names the group, and each group above it may have a limit of its own.
func maxMemory(root string) (least uint64) {
	f, err := os.Open(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		_, of, _ := strings.Cut(lines.Text(), ":")
		controllers, group, _ := strings.Cut(of, ":")
		top, file := "sys/fs/cgroup", "memory.max" // version 2, which names no controllers
		if controllers != "" {
			top, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		if controllers != "" && controllers != "memory" {
			continue
		}
		for at := path.Clean("/" + group); ; at = path.Dir(at) {
			text, _ := os.ReadFile(filepath.Join(root, top, at, file)) // a container does not see the groups above its own
			n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
			if err == nil && n > 0 && (least == 0 || n < least) {
				least = n
			}
			if at == "/" {
				break
			}
		}
	}
	if least > 1<<50 { // version 1 has no word for "no limit"
		return 0
	}
	return least
}
