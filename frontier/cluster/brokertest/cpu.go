package brokertest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// CPU returns the processor time that the brokers which run have taken so far, on Linux; 0 elsewhere.
func CPU(c *Cluster) (sum time.Duration) {
	for _, b := range c.Brokers {
		if p := b.Process(); p != nil {
			sum += cpuOf(p.Pid)
		}
	}
	return sum
}

func cpuOf(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
