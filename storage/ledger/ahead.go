package ledger

import (
	"iter"

	"github.com/cybermapper/cybermapper/storage/internal/ahead"
)

// A decoded is an entry with what its text says.
type decoded struct {
	entry
	is    Entry
	ok    bool   // text is a record
	sum   string // hash of text
	known Record // texts met before, which need not be made again
}

// decodedLines is lines with the records decoded and hashed ahead, on all cores if not said otherwise: that is most of the work of
// reading a ledger.
func decodedLines(dir string, from mark, o WalkOptions, leap func(file int) bool) iter.Seq2[*decoded, error] {
	return ahead.Map(lines(dir, from, leap), o.Workers, func(e entry, memory []byte) (entry, []byte) {
		start := len(memory)
		memory = append(memory, e.text...)
		e.text = memory[start:len(memory):len(memory)]
		return e, memory
	}, func(e entry, d *decoded) {
		if d.decode(e); d.ok && o.Leaf != nil {
			d.is.Leaf = o.Leaf(e.text)
		}
	})
}

// decode says what an entry is.
func (d *decoded) decode(e entry) {
	d.entry = e
	if e.torn > 0 || e.leapt {
		return
	}
	var err error
	d.is.Foreign, err = decodeLine(e.text, &d.is.Record, &d.known)
	d.ok = err == nil && d.is.Seq > 0
	d.sum = hash(e.text)
}
