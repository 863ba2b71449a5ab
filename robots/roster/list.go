package roster

import (
	_ "embed"
	"iter"
	"strings"
	"sync"
)

//go:embed bundled.txt
var bundled []byte

// Bundled returns the records that come with this package. They are the caller's.
func Bundled() []Record {
	records, _ := Parse(bundled)
	return records
}

// Known returns the list of the bundled records. It is made once.
var Known = sync.OnceValue(func() *List { return NewList(Bundled()) })

// A List finds records by product token. It does not change, and may be used concurrently.
type List struct {
	records []Record
	byToken map[string]int
}

// NewList makes a list of records. Where several have a token in common, the later add to the earlier, field by field, and take the
// place of a field that both have.
func NewList(sources ...[]Record) *List {
	l := &List{byToken: map[string]int{}}
	for _, records := range sources {
		for _, r := range records {
			l.add(r)
		}
	}
	return l
}

func (l *List) add(r Record) {
	tokens := r.Tokens()
	if len(tokens) == 0 {
		return
	}
	i, ok := l.byToken[tokens[0]]
	if !ok {
		i = len(l.records)
		l.records = append(l.records, Record{})
	}
	l.records[i] = merged(l.records[i], r)
	for _, t := range tokens {
		l.byToken[t] = i
	}
}

// merged returns a record with the fields of both.
func merged(before, after Record) Record {
	own := map[string]bool{}
	for _, f := range after.Fields {
		own[f.Name] = f.Name != Comment && f.Value != ""
	}
	var r Record
	for _, f := range before.Fields {
		if !own[f.Name] {
			r.Fields = append(r.Fields, f)
		}
	}
	for _, f := range after.Fields {
		if own[f.Name] || before.Value(f.Name) == "" {
			r.Fields = append(r.Fields, f)
		}
	}
	return r
}

// All returns the records, none for a nil List. They must not be changed.
func (l *List) All() iter.Seq[*Record] {
	return func(yield func(*Record) bool) {
		for i := 0; l != nil && i < len(l.records) && yield(&l.records[i]); i++ {
		}
	}
}

// Find returns the record of the robot with that product token, in capitals or not; nil when there is none, and for a nil List. It
// must not be changed.
func (l *List) Find(token string) *Record {
	if l == nil {
		return nil
	}
	i, ok := l.byToken[strings.ToLower(token)]
	if !ok {
		return nil
	}
	return &l.records[i]
}
