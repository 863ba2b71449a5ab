//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/crawler/webtest"
)

// A crawl that may open few files makes fewer connections, says so in a line, and comes to its end.
func TestCrawl_FitsIntoFewDescriptors(t *testing.T) {
	if testing.Short() {
		t.Skip("what it runs at the same time, others run too")
	}
	bench := webtest.New(t).Bench(webtest.BenchShape{Hosts: 60, Pages: 4, PageBytes: 2000, Links: 20})
	command := commandFile(t)
	for _, most := range []int{64, 256} {
		dir := filepath.Join(t.TempDir(), "job")
		cmd := exec.Command("sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$0" "$@"`, most), command,
			"crawl", "--seeds", "-", "--job", dir, "--allow-private", "--delay", "1ms", "--delay-factor", "0")
		cmd.Env = append(os.Environ(), "CYBERMAPPER_POLITENESS_PER_ADDRESS=1000")
		cmd.Stdin = strings.NewReader(strings.Join(bench.Seeds(), "\n"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%d descriptors: %v\n%s", most, err, out)
		}
		if n := strings.Count(string(out), fmt.Sprintf("only %d files and connections may be open (ulimit -n)", most)); n != 1 {
			t.Errorf("%d descriptors: said %d times\n%s", most, n, out)
		}
		if !strings.Contains(string(out), fmt.Sprintf("%d stored", bench.Total())) {
			t.Errorf("%d descriptors: not all pages\n%s", most, out)
		}
	}
}
