package warc

import (
	"bytes"
	"strings"
)

// A Field is a named field of a record, of an HTTP message, or of a block of type application/warc-fields.
type Field struct{ Name, Value string }

// Fields are fields in their order. Names are compared without regard to case.
type Fields []Field

// Get returns the first value of a name, or "".
func (f Fields) Get(name string) string {
	for _, x := range f {
		if strings.EqualFold(x.Name, name) {
			return x.Value
		}
	}
	return ""
}

// count returns how often a name is there.
func (f Fields) count(name string) (n int) {
	for _, x := range f {
		if strings.EqualFold(x.Name, name) {
			n++
		}
	}
	return n
}

// Add appends a field, unless the value is empty.
func (f *Fields) Add(name, value string) {
	if value != "" {
		*f = append(*f, Field{name, value})
	}
}

// appendTo writes the fields, a line each. Line ends in values become spaces.
func (f Fields) appendTo(b *bytes.Buffer) {
	for _, x := range f {
		b.WriteString(x.Name)
		b.WriteString(": ")
		if strings.IndexByte(x.Value, '\n') >= 0 || strings.IndexByte(x.Value, '\r') >= 0 {
			x.Value = oneLine.Replace(x.Value)
		}
		b.WriteString(x.Value)
		b.WriteString("\r\n")
	}
}

var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

// ParseFields reads lines of the form "name: value", as a block of type application/warc-fields has them. A line that begins with
// white space continues the one before. Other lines without a colon are left out.
func ParseFields(text []byte) Fields {
	var f Fields
	for line := range bytes.Lines(text) {
		f.addLine(line)
	}
	return f
}

// addLine adds what a line says, and reports whether it is one of a header.
func (f *Fields) addLine(line []byte) bool {
	text := strings.TrimRight(string(line), "\r\n")
	if text == "" {
		return false
	}
	if (text[0] == ' ' || text[0] == '\t') && len(*f) > 0 {
		last := &(*f)[len(*f)-1]
		last.Value = strings.TrimSpace(last.Value + " " + strings.TrimSpace(text))
		return true
	}
	name, value, ok := strings.Cut(text, ":")
	if ok {
		*f = append(*f, Field{strings.TrimSpace(name), strings.TrimSpace(value)})
	}
	return ok
}
