package engine

import (
	"fmt"
	"io"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/crawler"
)

// filesOpen is how many descriptors the stores of a job need at most; half of them if there are few.
const filesOpen = 256

// fitDescriptors makes the connections of a crawl fit into the descriptors that it may have open, 0 for any number, and says so:
// each worker may have one connection in use and two that are idle, each site that is slow one more.
func fitDescriptors(c *config.Config, most uint64, out io.Writer) {
	slow := int(c.Crawl.SlowMemory / crawler.SlowBytes)
	connections := int(most) - min(filesOpen, int(most/2))
	if most == 0 || most > 1<<30 || 3*c.Crawl.Workers+slow <= connections {
		return
	}
	workers, slowest := min(c.Crawl.Workers, max(connections/6, 1)), min(slow, max(connections/4, 1))
	fmt.Fprintf(out, "cybermapper: warning: only %d files and connections may be open (ulimit -n): "+
		"%d workers instead of %d, and %d slow sites beyond instead of %d\n", most, workers, c.Crawl.Workers, slowest, slow)
	c.Crawl.Workers, c.Crawl.SlowMemory = workers, config.Size(slowest)*crawler.SlowBytes
}
