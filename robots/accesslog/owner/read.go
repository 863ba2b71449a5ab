package owner

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
)

// MaxRows is how many networks a table may have.
const MaxRows = 8_000_000

// maxLine is how long a line may be.
const maxLine = 16 << 10

// Read reads a table. An error names the line.
func Read(in io.Reader) (*Table, error) {
	b := builder{known: map[Owner]int32{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, maxLine), maxLine)
	n := 0
	for lines.Scan() {
		n++
		if err := b.add(strings.TrimSpace(lines.Text()), n == 1); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	if b.Len() == 0 {
		return nil, errors.New("there is no network in it")
	}
	b.v4.arrange()
	b.v6.arrange()
	return &b.Table, nil
}

// A builder is a Table in the making.
type builder struct {
	Table
	known map[Owner]int32
}

// add takes in a line.
func (b *builder) add(line string, first bool) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	fields, divider, err := split(line)
	if err != nil {
		return err
	}
	if first && !strings.ContainsAny(fields[0], "0123456789:") {
		return nil // a heading
	}
	if b.Len() >= MaxRows {
		return fmt.Errorf("more than %d networks", MaxRows)
	}
	from, to, err := network(fields)
	if err != nil {
		return err
	}
	o, err := ownerOf(fields, divider)
	if err != nil || o.ASN == "0" {
		return err
	}
	b.addSpan(from, to, b.intern(o))
	return nil
}

// split divides a line into its fields, two at least.
func split(line string) (fields []string, divider string, err error) {
	divider = "\t"
	switch {
	case strings.Contains(line, "\t"):
		fields = strings.Split(line, "\t")
	case strings.Contains(line, `"`):
		divider = ","
		if fields, err = csv.NewReader(strings.NewReader(line)).Read(); err != nil {
			return nil, "", fmt.Errorf("fields in quotes: %w", errors.Unwrap(err))
		}
	default:
		divider, fields = ",", strings.Split(line, ",")
	}
	if len(fields) < 2 {
		return nil, "", errors.New("there is no owner: fields are divided by tabs or commas")
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields, divider, nil
}

// isRange reports whether the fields begin with two addresses.
func isRange(fields []string) bool {
	_, err := netip.ParseAddr(fields[1])
	return err == nil && !strings.Contains(fields[0], "/")
}

// network returns the first and the last address.
func network(fields []string) (from, to netip.Addr, err error) {
	if strings.Contains(fields[0], "/") {
		prefix, err := netip.ParsePrefix(fields[0])
		if err != nil {
			return from, to, fmt.Errorf("%q is no network", fields[0])
		}
		if prefix = prefix.Masked(); prefix.Addr().Is4In6() && prefix.Bits() >= 96 {
			prefix = netip.PrefixFrom(prefix.Addr().Unmap(), prefix.Bits()-96)
		}
		return prefix.Addr(), last(prefix), nil
	}
	if from, err = netip.ParseAddr(fields[0]); err != nil || from.Zone() != "" {
		return from, to, fmt.Errorf("%q is no network", fields[0])
	}
	if to = from; isRange(fields) {
		to, _ = netip.ParseAddr(fields[1])
	}
	from, to = from.Unmap(), to.Unmap()
	if from.BitLen() != to.BitLen() || to.Less(from) || to.Zone() != "" {
		return from, to, fmt.Errorf("%s to %s is no network", from, to)
	}
	return from, to, nil
}

// last returns the last address of a network.
func last(p netip.Prefix) netip.Addr {
	bytes := p.Addr().AsSlice()
	for bit := p.Bits(); bit < 8*len(bytes); bit++ {
		bytes[bit/8] |= 0x80 >> (bit % 8)
	}
	addr, _ := netip.AddrFromSlice(bytes)
	return addr
}

// ownerOf returns what the fields say of the owner.
func ownerOf(fields []string, divider string) (o Owner, err error) {
	switch {
	case isRange(fields) && len(fields) >= 5:
		o = Owner{ASN: strings.TrimPrefix(strings.ToUpper(fields[2]), "AS"), Country: fields[3],
			Name: strings.Join(fields[4:], divider)}
		if o.Country == "None" {
			o.Country = ""
		}
	case !isRange(fields) && len(fields) <= 3:
		o.Name = fields[1]
		o.Contact = strings.Join(fields[2:], "")
	default:
		return o, fmt.Errorf("%d fields: write network, owner and contact, or "+
			"first address, last address, number, country and name", len(fields))
	}
	if o.Name == "" {
		return o, errors.New("there is no owner")
	}
	return o, nil
}

// intern returns the index of an owner.
func (b *builder) intern(o Owner) int32 {
	if i, ok := b.known[o]; ok {
		return i
	}
	o = Owner{Name: strings.Clone(o.Name), Contact: strings.Clone(o.Contact), ASN: strings.Clone(o.ASN),
		Country: strings.Clone(o.Country)}
	i := int32(len(b.owners))
	b.owners, b.known[o] = append(b.owners, o), i
	return i
}

func (b *builder) addSpan(from, to netip.Addr, owner int32) {
	if from.Is4() {
		b.v4 = append(b.v4, span[v4]{from: v4Of(from), to: v4Of(to), owner: owner})
		return
	}
	b.v6 = append(b.v6, span[v6]{from: v6Of(from), to: v6Of(to), owner: owner})
}
