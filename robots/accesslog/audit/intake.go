package audit

import "github.com/cybermapper/cybermapper/robots/accesslog"

// An intake is what was read, and from where.
type intake struct {
	log       accesslog.Tally
	files     []string
	numbers   map[string]int32 // of the files
	latest    string           // file
	number    int32            // of that
	outside   int64
	forwarded int64
	proxied   int64 // requests of clients that trusted proxies name
	nobody    int64 // requests of clients that cannot be told
	hasAgent  bool
}

// place is where a request stands.
type place struct {
	file int32
	line int64
}

// Read takes in a log; file is its name, for evidence. It returns what made reading fail, after everything before was taken in.
func (a *Auditor) Read(r *accesslog.Reader, file string) error {
	for r.Next() {
		a.Add(r.Entry(), file, r.Line(), r.Text())
	}
	a.intake.addTally(r.Tally(), file)
	return r.Err()
}

// ReadAll takes in several logs in order of time. The Auditor is made by fresh, and made again when it turns out that the lines
// have to be sorted before. It returns what made reading fail.
func ReadAll(m *accesslog.Merge, fresh func() *Auditor) (*Auditor, error) {
	var a *Auditor
	err := m.Each(func() { a = fresh() },
		func(e *accesslog.Entry, file string, line int64, text []byte) { a.Add(e, file, line, text) })
	for i, s := range m.Sources() {
		a.intake.addTally(m.Tally(i), s.Name)
	}
	return a, err
}

// AddTally takes in what a Reader has counted of a file whose entries were added one by one.
func (a *Auditor) AddTally(t accesslog.Tally, file string) { a.intake.addTally(t, file) }

// addTally takes in what a Reader has counted, at the end of its file.
func (i *intake) addTally(t accesslog.Tally, file string) {
	for k := range t.Samples {
		t.Samples[k].File = file
	}
	i.log.Add(t)
}

// fileNumber returns the number of a file.
func (i *intake) fileNumber(name string) int32 {
	if name == i.latest && len(i.files) > 0 {
		return i.number
	}
	n, ok := i.numbers[name]
	if !ok {
		n = int32(len(i.files))
		i.files, i.numbers[name] = append(i.files, name), n
	}
	i.latest, i.number = name, n
	return n
}
