package ledger

import (
	"iter"

	"github.com/cybermapper/cybermapper/storage/internal/ahead"
)

// A decoded entry is an entry with what its text says.
type decoded struct {
	entry
	record Record
	ok     bool   // text is a record
	sum    string // hash of text
	known  Record // texts met before, which need not be made again
}

// decodedLines is lines with the records decoded and hashed ahead, on all cores: that is most of the work of reading a ledger.
func decodedLines(dir string, from mark) iter.Seq2[*decoded, error] {
	return ahead.Map(lines(dir, from), func(e entry, memory []byte) (entry, []byte) {
		start := len(memory)
		memory = append(memory, e.text...)
		e.text = memory[start:len(memory):len(memory)]
		return e, memory
	}, decodeEntry)
}

// decodeEntry says what an entry is.
func decodeEntry(e entry, d *decoded) {
	d.entry = e
	if e.torn > 0 {
		return
	}
	d.ok = decodeLine(e.text, &d.record, &d.known) == nil && d.record.Seq > 0
	d.sum = hash(e.text)
}
