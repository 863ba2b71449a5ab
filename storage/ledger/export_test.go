package ledger

import (
	"encoding/json"
	"errors"
	"os"

	"github.com/cybermapper/cybermapper/storage/internal/contents"
)

// Pack is for tests that want a file packed now.
var Pack = pack

// Unfinished is behind the name of a file that is being packed.
const Unfinished = unfinished

// WaitPacked waits until all files that have ended are packed and described. The ledger packs no more then.
func WaitPacked(l *Ledger) {
	close(l.ended)
	l.packing.Wait()
	l.ended = make(chan int, 1)
}

// ForgetKeys makes the contents in a file say that nothing is in the nth file of the ledger.
func ForgetKeys(name string, n int) error {
	var parts []contents.Part
	for p, err := range contents.Scan(name) {
		if err != nil {
			return err
		}
		var d described
		if err := json.Unmarshal(p.Head, &d); err != nil {
			return err
		}
		head, err := json.Marshal(d)
		if err != nil {
			return err
		}
		if d.File == n {
			parts = append(parts, contents.NewPart(head, nil))
		}
	}
	if len(parts) == 0 {
		return errors.New("the file is not described")
	}
	return errors.Join(os.Remove(name), (&contents.Table{Name: name}).Append(parts...))
}
