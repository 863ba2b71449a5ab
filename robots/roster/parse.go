package roster

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
)

// MaxValue is how long a value may be, in bytes.
const MaxValue = 16 << 10

// maxName is how long the name of a field may be; maxProblems is how many problems are told.
const (
	maxName     = 64
	maxProblems = 20
)

// A Problem is a line that is not what it should be. It is an error.
type Problem struct {
	Line int // counted from 1
	What string
}

// Error returns the number of the line and what is wrong with it.
func (p Problem) Error() string { return fmt.Sprintf("line %d: %s", p.Line, p.What) }

// Parse reads records. It takes any bytes: a line that is no field is left out and told as a problem, and so is a record without a
// robot-id, which is kept.
func Parse(data []byte) ([]Record, []Problem) {
	var p parser
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))) {
		p.line++
		p.read(string(bytes.TrimRight(line, "\r\n")))
	}
	p.end()
	return p.records, p.problems
}

// A parser is what is known between two lines.
type parser struct {
	records  []Record
	problems []Problem
	present  Record
	line     int
	first    int // line of the present record that is the first which is no comment; 0 when there is none
}

// read takes in a line.
func (p *parser) read(line string) {
	text := strings.TrimSpace(line)
	switch {
	case text == "":
		p.end()
	case line[0] == '#':
		p.add(Comment, strings.TrimSpace(line[1:]))
	case line[0] == ' ' || line[0] == '\t':
		p.goOn(text)
	default:
		name, value, ok := strings.Cut(line, ":")
		if name = strings.ToLower(strings.TrimSpace(name)); !ok || !isName(name) {
			p.problem(p.line, "it is not of the form \"field: value\"")
			return
		}
		p.first = cmp.Or(p.first, p.line)
		p.add(name, strings.TrimSpace(value))
	}
}

// add begins a field.
func (p *parser) add(name, value string) {
	if len(value) > MaxValue {
		p.problem(p.line, "the value is too long")
		value = strings.TrimSpace(value[:MaxValue])
	}
	p.present.Fields = append(p.present.Fields, Field{Name: name, Value: value})
}

// goOn adds a line to the value of the field before.
func (p *parser) goOn(text string) {
	n := len(p.present.Fields)
	if n == 0 || p.present.Fields[n-1].Name == Comment {
		p.problem(p.line, "it begins with a blank, but there is no field that it could go on with")
		return
	}
	f := &p.present.Fields[n-1]
	switch {
	case len(f.Value)+1+len(text) > MaxValue:
		p.problem(p.line, "the value is too long")
	case f.Value == "":
		f.Value = text
	default:
		f.Value += "\n" + text
	}
}

// end ends a record.
func (p *parser) end() {
	if p.first > 0 && p.present.Value("robot-id") == "" {
		p.problem(p.first, "the record has no robot-id")
	}
	if len(p.present.Fields) > 0 {
		p.records = append(p.records, p.present)
	}
	p.present, p.first = Record{}, 0
}

func (p *parser) problem(line int, what string) {
	if len(p.problems) < maxProblems {
		p.problems = append(p.problems, Problem{Line: line, What: what})
	}
}

// isName reports whether s can be the name of a field.
func isName(s string) bool {
	return s != "" && len(s) <= maxName && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_'
	})
}

// Format writes records as Parse reads them. Blanks around the lines of a value, and its empty lines, are left out.
func Format(records []Record) []byte {
	var b bytes.Buffer
	for i, r := range records {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, f := range r.Fields {
			f.format(&b)
		}
	}
	return b.Bytes()
}

func (f Field) format(b *bytes.Buffer) {
	b.WriteString(f.Name)
	if f.Name != Comment {
		b.WriteByte(':')
	}
	blank := " "
	for line := range strings.Lines(f.Value) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		b.WriteString(blank + line)
		if blank = "\n  "; f.Name == Comment {
			blank = "\n# "
		}
	}
	b.WriteByte('\n')
}
