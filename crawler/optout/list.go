package optout

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// MaxSize bounds the file, in bytes.
const MaxSize = 64 << 20

// A List is a set of entries. It is immutable and safe for concurrent use; the nil List is empty.
type List struct {
	entries  map[string]struct{} // as Entries returns them
	prefixes map[netip.Prefix]string
	bits     []prefixLength // those that occur in prefixes
}

// A prefixLength tells how many bits of an address of which kind count.
type prefixLength struct {
	is4  bool
	bits int
}

// A BadLine is a line that is no entry.
type BadLine struct {
	Line int    // from 1
	Text string // as written, without comment
	Why  string
}

// String returns the number of the line, its text, and why it is bad.
func (b BadLine) String() string { return fmt.Sprintf("line %d: %q: %s", b.Line, b.Text, b.Why) }

// A FileError says that lines of a file are bad. The other lines are good.
type FileError struct {
	File string
	Bad  []BadLine // at least one
}

// Error returns a line for each bad line.
func (e *FileError) Error() string {
	lines := make([]string, len(e.Bad))
	for i, b := range e.Bad {
		lines[i] = fmt.Sprintf("%s:%d: %q: %s", e.File, b.Line, b.Text, b.Why)
	}
	return strings.Join(lines, "\n")
}

// Parse reads a file. The list holds what the good lines say; the error is that of r, or that there is too much.
func Parse(r io.Reader) (*List, []BadLine, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	switch {
	case err != nil:
		return nil, nil, err
	case len(text) > MaxSize:
		return nil, nil, fmt.Errorf("more than %d bytes", MaxSize)
	}
	l, bad := &List{}, []BadLine(nil)
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		number++
		entry, _, _ := strings.Cut(string(line), "#")
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		if err := l.add(entry); err != nil {
			bad = append(bad, BadLine{Line: number, Text: shorten(entry), Why: err.Error()})
		}
	}
	return l, bad, nil
}

func shorten(s string) string {
	const enough = 100
	return s[:min(len(s), enough)]
}

// add reads an entry into a list that nobody else knows yet.
func (l *List) add(text string) error {
	if l.entries == nil {
		l.entries, l.prefixes = map[string]struct{}{}, map[netip.Prefix]string{}
	}
	if p, ok, err := parseAddress(text); err != nil {
		return err
	} else if ok {
		name := p.String()
		if p.IsSingleIP() {
			name = p.Addr().String()
		}
		l.entries[name], l.prefixes[p] = struct{}{}, name
		if n := (prefixLength{p.Addr().Is4(), p.Bits()}); !slices.Contains(l.bits, n) {
			l.bits = append(l.bits, n)
		}
		return nil
	}
	name, err := parseName(text)
	if err == nil {
		l.entries[name] = struct{}{}
	}
	return err
}

// parseAddress reads an address or a range of addresses; ok is false when text means to be a name.
func parseAddress(text string) (p netip.Prefix, ok bool, err error) {
	if strings.Contains(text, "://") {
		return p, false, errors.New("a URL: write its host alone")
	}
	if strings.Contains(text, "/") {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return p, false, errors.New("not a range of addresses, such as 192.0.2.0/24")
		}
		return plainPrefix(p)
	}
	a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	switch {
	case err == nil && a.Zone() != "":
		return p, false, errors.New("an address with a zone names no host of the web")
	case err == nil:
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), true, nil
	case strings.Contains(text, ":"):
		return p, false, errors.New("ports are not told apart: write the host alone")
	}
	return p, false, nil
}

// plainPrefix writes a range of IPv4 addresses inside IPv6 as what it is.
func plainPrefix(p netip.Prefix) (netip.Prefix, bool, error) {
	const mapped = 96
	if p.Addr().Is4In6() {
		if p.Bits() < mapped {
			return p, false, errors.New("a range of IPv4-mapped addresses is at least 96 bits long")
		}
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mapped)
	}
	return p.Masked(), true, nil
}

// asInURLs reads names as URLs do (WHATWG URL, domain to ASCII): with "_", and "-" anywhere. A crawl asks hosts of such names, so
// they can be left alone.
var asInURLs = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false), idna.CheckHyphens(false))

// parseName reads the name of a host, or of a domain behind "*.", into the form that URLs have.
func parseName(text string) (string, error) {
	domain, isDomain := strings.CutPrefix(text, "*.")
	name, err := asInURLs.ToASCII(strings.TrimSuffix(domain, "."))
	switch {
	case strings.Contains(domain, "*"):
		return "", errors.New("a * stands only at the beginning: *.example.org is example.org and every host below it")
	case err != nil, !isHostName(name):
		return "", errors.New("not a host, *.domain, address or range of addresses")
	case isDigits(name[strings.LastIndexByte(name, '.')+1:]):
		return "", errors.New("not an address")
	case isDomain:
		return "*." + name, nil
	}
	return name, nil
}

// isHostName reports whether name is a host name in ASCII, no longer than DNS has them (RFC 1035 section 2.3.4), and one that
// stands for itself.
func isHostName(name string) bool {
	if again, err := asInURLs.ToASCII(name); err != nil || again != name || len(name) > 253 {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if strings.Trim(label, "-_") == "" || len(label) > 63 || strings.ContainsFunc(label, func(r rune) bool {
			return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
		}) {
			return false
		}
	}
	return true
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// Host reports whether a host, as it stands in a canonical URL, is to be left alone, and the entry that says so.
func (l *List) Host(host string) (entry string, out bool) {
	if l.Len() == 0 {
		return "", false
	}
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return l.Address(a)
	}
	host = strings.TrimSuffix(host, ".")
	if _, ok := l.entries[host]; ok {
		return host, true
	}
	for name := host; name != ""; _, name, _ = strings.Cut(name, ".") {
		if _, ok := l.entries["*."+name]; ok {
			return "*." + name, true
		}
	}
	return "", false
}

// Address reports whether whatever lives at an address is to be left alone, and the entry that says so.
func (l *List) Address(a netip.Addr) (entry string, out bool) {
	if l == nil {
		return "", false
	}
	a = a.Unmap().WithZone("")
	for _, n := range l.bits {
		if n.is4 != a.Is4() {
			continue
		}
		p, err := a.Prefix(n.bits)
		if err != nil {
			continue
		}
		if entry, ok := l.prefixes[p]; ok {
			return entry, true
		}
	}
	return "", false
}

// Len returns the number of entries.
func (l *List) Len() int {
	if l == nil {
		return 0
	}
	return len(l.entries)
}

// Has reports whether an entry is on the list.
func (l *List) Has(entry string) bool {
	if l == nil {
		return false
	}
	_, ok := l.entries[entry]
	return ok
}

// Entries returns all entries in the order of their text, as Parse reads them.
func (l *List) Entries() []string {
	if l == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(l.entries))
}

// Missing returns the entries of l that other does not have, in the order of their text.
func (l *List) Missing(other *List) []string {
	return slices.DeleteFunc(l.Entries(), other.Has)
}

// With returns a list with the entries of both.
func (l *List) With(other *List) *List {
	all := &List{}
	for _, entry := range append(l.Entries(), other.Entries()...) {
		all.add(entry) // it was read before
	}
	return all
}

// WriteTo writes the list as Parse reads it.
func (l *List) WriteTo(w io.Writer) (n int64, err error) {
	b := bufio.NewWriter(w)
	for _, entry := range l.Entries() {
		written, err := fmt.Fprintln(b, entry)
		n += int64(written)
		if err != nil {
			return n, err
		}
	}
	return n, b.Flush()
}
