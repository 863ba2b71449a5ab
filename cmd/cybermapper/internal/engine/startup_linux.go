package engine

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// forgetStartUp lets go of the pages of the program file that are in the memory of this process, ten megabytes of which only its
// start has read: the beginnings of all packages, and the tables that lead to them. What is still wanted comes back by itself, from
// the memory of the system that holds the file. Where that is not allowed they stay.
func forgetStartUp() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer maps.Close()
	for _, m := range untouched(maps, program) {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.from, m.to-m.from, unix.MADV_DONTNEED)
	}
}

// A mapping is a part of a file in memory.
type mapping struct{ from, to uintptr }

// untouched returns the mappings of a file, as smaps lists them, that cannot be written to and never were: in another, as of a
// program that was relocated, there may be what the file does not have.
func untouched(smaps io.Reader, file string) (list []mapping) {
	var m mapping
	isCandidate := false
	for lines := bufio.NewScanner(smaps); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 {
			continue
		}
		switch first, value := fields[0], fields[1]; {
		case !strings.HasSuffix(first, ":"): // a mapping begins
			from, to, _ := strings.Cut(first, "-")
			m = mapping{address(from), address(to)}
			isCandidate = strings.HasPrefix(value, "r-") && strings.HasSuffix(lines.Text(), " "+file)
		case first == "Anonymous:":
			isCandidate = isCandidate && value == "0"
		case first == "Swap:" && isCandidate && value == "0":
			list = append(list, m)
		}
	}
	return list
}

func address(hex string) uintptr {
	a, _ := strconv.ParseUint(hex, 16, 64)
	return uintptr(a)
}
