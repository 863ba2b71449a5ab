package disk_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cybermapper/cybermapper/frontier"
	"github.com/cybermapper/cybermapper/frontier/disk"
	"github.com/cybermapper/cybermapper/frontier/frontiertest"
)

// What Sites has shown is the caller's: the next sites, which are read by hundreds, leave it as it is.
func TestSites_AreTheCallers(t *testing.T) {
	const sites = 1000
	for _, held := range []int{16, 2 * sites} { // few of them are in memory, or all
		t.Run(fmt.Sprint(held), func(t *testing.T) {
			f := open(t, "f", disk.Options{FS: vfs.NewMem(), Memory: 1, ActiveSites: held})
			defer f.Close()
			var links []frontier.Link
			for i := range sites {
				links = append(links, frontier.Link{URL: frontiertest.URL(t, fmt.Sprintf("http://%04d.test/", i))})
			}
			frontiertest.MustAdd(t, f, links...)
			var names []string
			var infos []*frontier.SiteInfo
			for s, err := range f.Sites(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				names, infos = append(names, s.Site), append(infos, &s)
			}
			for i, name := range names {
				if s := infos[i]; s.Site != name || s.Queued != 1 || s.Leased {
					t.Fatalf("the site shown as %s is %+v afterwards", name, *s)
				}
			}
			slices.Sort(names)
			if n := len(slices.Compact(names)); n != sites {
				t.Errorf("%d sites are shown, want %d", n, sites)
			}
		})
	}
}
