package block_test

import (
	"fmt"

	"github.com/cybermapper/cybermapper/robots/accesslog/block"
)

// What to paste so that one robot gets 403.
func Example() {
	for _, b := range (block.Order{RefusedNames: []string{"GreedyBot"}}).All() {
		if b.Server == "fail2ban" || b.Server == "nftables" {
			continue
		}
		fmt.Println(b.Server)
	}
	// Output:
	// nginx
	// Apache
	// Caddy
	// HAProxy
}
