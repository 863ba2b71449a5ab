package fetch

import (
	"fmt"
	"net/url"
	"slices"
)

// badPorts are the ports of other services, where what a page makes us send might do something: mail, printers, telephones. They
// are those of the Fetch Standard, "Port blocking".
var badPorts = []string{
	"0", "1", "7", "9", "11", "13", "15", "17", "19", "20", "21", "22", "23", "25", "37", "42", "43", "53", "69", "77",
	"79", "87", "95", "101", "102", "103", "104", "109", "110", "111", "113", "115", "117", "119", "123", "135", "137", "139",
	"143", "161", "179", "389", "427", "465", "512", "513", "514", "515", "526", "530", "531", "532", "540", "548", "554", "556",
	"563", "587", "601", "636", "989", "990", "993", "995", "1719", "1720", "1723", "2049", "3659", "4045", "4190", "5060", "5061",
	"6000", "6566", "6665", "6666", "6667", "6668", "6669", "6679", "6697", "10080",
}

// IsBadPort reports whether a port, in digits, is one that browsers do not connect to, because another service than the web is
// expected there; "" is the port of the scheme.
func IsBadPort(port string) bool { return port != "" && slices.Contains(badPorts, port) }

// A PortError is the refusal to connect to such a port.
type PortError struct{ Port string }

// Error says what is wrong with the port.
func (e *PortError) Error() string {
	return fmt.Sprintf("browsers do not connect to port %s", e.Port)
}

// checkPort returns a *PortError unless the port of u is one that web pages may name.
func checkPort(u *url.URL) error {
	if port := u.Port(); IsBadPort(port) {
		return &PortError{port}
	}
	return nil
}
