package disk

import "errors"

// Dump returns all keys and values of the store, but for what says which process has it open, and when.
func (f *Frontier) Dump() (map[string]string, error) {
	it, err := f.core.db.NewIter(nil)
	if err != nil {
		return nil, err
	}
	all := make(map[string]string)
	for ok := it.First(); ok; ok = it.Next() {
		switch key := it.Key(); key[0] {
		case kindOpen, kindClock, kindTail:
		default:
			all[string(key)] = string(it.Value())
		}
	}
	return all, errors.Join(it.Error(), it.Close())
}

// Flush writes what the store holds in memory to tables.
func (f *Frontier) Flush() error { return f.flush() }

// KeptAhead returns how many entries are kept, read ahead, of sites that nobody has leased.
func (f *Frontier) KeptAhead() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sites.entries
}
