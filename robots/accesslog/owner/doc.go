// Package owner says whose network an address is in, from a table on this machine.
//
// # Nouns
//
// A [Table] has an [Owner] for each of its networks. [Read] reads it, one network a line, in one of two forms: a prefix or an
// address, the owner, and perhaps whom to tell of abuse; or, as the public tables of autonomous systems have it, the first
// address, the last address, the number of the autonomous system, the country and the name. Fields are divided by tabs or by
// commas, and may be in quotes where they are divided by commas:
//
//	192.0.2.0/24	Example Hosting	abuse@hosting.example
//	2001:db8::/32,"Example Networks, Inc."
//	198.51.100.0	198.51.100.255	64500	DE	EXAMPLE-AS Example
//
// # Promises
//
//   - The smallest network that has the address counts; of two that are the same, the later in the table.
//   - A line that is not understood is an error with its number; nothing is guessed. Empty lines, comments (#), a heading in the
//     first line, and networks that nobody announces (autonomous system 0) are skipped.
//   - A Table does not change, and may be used concurrently.
//
// # Limits
//
// A table has up to [MaxRows] networks. Countries and names are those of the table, and say who holds the address, not who
// uses it.
//
// # Example
//
//	t, err := owner.Read(f)
//	if err != nil {
//		return err
//	}
//	o, ok := t.Of(netip.MustParseAddr("192.0.2.7"))
//
// # Design
//
// The public table has 500,000 rows and a tenth as many owners, so rows are pairs of integers in a sorted slice, 16 bytes for
// IPv4 and 40 for IPv6, and owners are kept once. A row knows the row around it: binary search finds the last row that begins
// before an address, and if the address is not in that, it is in one around it. A tree would take several times the memory.
package owner
