package owner_test

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/cybermapper/cybermapper/robots/accesslog/owner"
)

func ExampleRead() {
	t, err := owner.Read(strings.NewReader("192.0.2.0/24\tExample Hosting\tabuse@hosting.example\n192.0.2.64/26\tA customer\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, addr := range []string{"192.0.2.1", "192.0.2.65", "192.0.3.1"} {
		o, ok := t.Of(netip.MustParseAddr(addr))
		fmt.Println(o.Name, o.Contact, ok)
	}
	// Output:
	// Example Hosting abuse@hosting.example true
	// A customer  true
	//   false
}
