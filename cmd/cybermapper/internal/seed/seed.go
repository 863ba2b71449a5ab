package seed

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/frontier"
)

// MaxLine bounds a line of a list, in bytes.
const MaxLine = 64 << 10

// A Seed is a URL and what its giver says of it.
type Seed struct {
	URL      frontier.URL
	Depth    int    // links from a seed that it counts as; links from it have one more
	Priority int8   // higher comes first; see frontier.MaxPriority
	Note     string // where it is from
}

// wire is the form of a Seed in a list.
type wire struct {
	URL      string `json:"url"`
	Depth    int    `json:"depth,omitempty"`
	Priority int8   `json:"priority,omitempty"`
	Note     string `json:"note,omitempty"`
}

// URLs returns the URLs of seeds.
func URLs(seeds []Seed) []frontier.URL {
	urls := make([]frontier.URL, len(seeds))
	for i, s := range seeds {
		urls[i] = s.URL
	}
	return urls
}

// IsPlain reports whether a seed is a URL and nothing else.
func (s Seed) IsPlain() bool { return s == Seed{URL: s.URL} }

// Link returns the seed as a link for the frontier.
func (s Seed) Link() frontier.Link {
	return frontier.Link{URL: s.URL, Depth: s.Depth, Priority: s.Priority}
}

// String returns the line of the seed in a list.
func (s Seed) String() string {
	if s.IsPlain() {
		return s.URL.String()
	}
	line, _ := json.Marshal(wire{s.URL.String(), s.Depth, s.Priority, s.Note}) // strings and numbers always can
	return string(line)
}

// Parse reads one line of a list that holds a seed. parse reads a URL.
func Parse(line string, parse func(string) (frontier.URL, error)) (s Seed, err error) {
	if !utf8.ValidString(line) { // of what is not, another URL would be made
		return s, errors.New("not UTF-8")
	}
	if strings.ContainsRune(line, 0) { // as a loss of power leaves at the end of a file; what is before may be half a URL
		return s, errors.New("a zero byte is in it")
	}
	if line = strings.TrimFunc(line, isInvisible); !strings.HasPrefix(line, "{") {
		if line = withoutComment(line); hasTwoURLs(line) {
			return s, errors.New("more than one URL: each has a line of its own")
		}
		if strings.ContainsAny(line, "\t\r") { // a reader of URLs leaves these out, and takes what follows for a part of the path
			return s, errors.New("a tab in it: a line has a URL, and nothing behind it but a comment that begins with #")
		}
		if i := strings.IndexByte(line, '"'); i > 0 && strings.IndexByte(cells, line[i-1]) >= 0 { // JSON begins otherwise
			return s, errTable
		}
		if s.URL, err = parse(line); err != nil && isRowWithURL(line) {
			err = errTable
		}
		return s, err
	}
	var w wire
	d := json.NewDecoder(strings.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil {
		return s, errors.New(badObject(err) + ": the keys are url, depth, priority (-100 to 100) and note")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return s, errors.New("something follows the object")
	}
	if w.Priority < -frontier.MaxPriority || w.Priority > frontier.MaxPriority {
		return s, errors.New("priority does not lie between -100 and 100")
	}
	if w.Depth < 0 {
		return s, errors.New("depth is negative")
	}
	u, err := parse(w.URL)
	return Seed{URL: u, Depth: w.Depth, Priority: w.Priority, Note: w.Note}, err
}

// withoutComment cuts a comment off a line that begins with a URL: a # after a blank is no fragment.
func withoutComment(line string) string {
	for _, blank := range []string{" #", "\t#"} {
		line, _, _ = strings.Cut(line, blank)
	}
	return strings.TrimFunc(line, isInvisible)
}

// isInvisible reports whether a character shows nothing: a blank, or one of those that are copied from a page together with a URL,
// as a zero-width space. Those with which words and signs end are not among them: joiners, as of Malayalam and Persian, and the
// tags of a flag.
func isInvisible(r rune) bool {
	switch {
	case r == '\u200c', r == '\u200d', 0xe0020 <= r && r <= 0xe007f, unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	}
	return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)
}

// errTable says that a line has cells, which would be taken for a part of the path.
var errTable = errors.New("a line of a table: of it only the URLs are wanted, one per line")

// cells is what stands between the cells of a table.
const cells = ",;"

// isRowWithURL reports whether the first URL in a line begins behind a cell.
func isRowWithURL(line string) bool {
	before, _, hasURL := strings.Cut(line, "://")
	return hasURL && strings.ContainsAny(before, cells)
}

// hasTwoURLs reports whether another URL begins after a blank, which a URL does not have, or after a carriage return, which a
// browser would leave out.
func hasTwoURLs(line string) bool {
	words := strings.Fields(line)
	for i, w := range words {
		if w = strings.ToLower(w); i > 0 && (strings.HasPrefix(w, "http://") || strings.HasPrefix(w, "https://")) {
			return true
		}
	}
	return false
}

// badObject says what is wrong with an object, in words that are not those of Go.
func badObject(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		what, number, _ := strings.Cut(wrong.Value, " ")
		return wrong.Field + " cannot be " + cmp.Or(number, "a JSON "+what)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// A Bad is a line that is no seed.
type Bad struct {
	Where string // file and line
	Err   error
}

// String says where a line is, and what is wrong with it.
func (b Bad) String() string { return b.Where + ": " + b.Err.Error() }

func (b *Bad) Error() string { return b.String() }

// Read reads a list; name stands for it in what is bad. parse reads a URL. The error is that of r.
func Read(r io.Reader, name string, parse func(string) (frontier.URL, error)) (seeds []Seed, bad []Bad, err error) {
	for s, err := range Scan(r, name, parse) {
		var b *Bad
		switch {
		case errors.As(err, &b):
			bad = append(bad, *b)
		case err != nil:
			return seeds, bad, err
		default:
			seeds = append(seeds, s)
		}
	}
	return seeds, bad, nil
}

// Scan is Read for lists that memory does not hold: it yields one seed after the other, and a line that is none as a *Bad. Any
// other error is the last.
func Scan(r io.Reader, name string, parse func(string) (frontier.URL, error)) iter.Seq2[Seed, error] {
	return func(yield func(Seed, error) bool) {
		in := bufio.NewReaderSize(r, MaxLine)
		if what := notText(in); what != "" {
			yield(Seed{}, fmt.Errorf("read seeds: %s is %s", name, what))
			return
		}
		header, isFirst := "", true
		for number := 1; ; number++ {
			line, tooLong, err := readLine(in)
			if err != nil && !errors.Is(err, io.EOF) {
				yield(Seed{}, fmt.Errorf("read seeds: %s: %w", name, err))
				return
			}
			if line = bytes.TrimFunc(line, isInvisible); len(line) > 0 && line[0] != '#' {
				s, perr := Parse(string(line), parse)
				switch {
				case tooLong:
					perr = fmt.Errorf("longer than %d bytes", MaxLine)
				case isFirst && perr != nil && isHeader(string(line)):
					header = string(line)
				case perr == nil && line[0] != '{' && isRow(string(line), header):
					perr = errTable
				}
				isFirst = false
				if perr != nil {
					s, perr = Seed{}, &Bad{Where: fmt.Sprintf("%s:%d", name, number), Err: perr}
				}
				if !yield(s, perr) {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
}

// isHeader reports whether a line names the columns of a table: words with no blank behind what is between them, and no URL.
func isHeader(line string) bool {
	i := strings.IndexAny(line, cells)
	return i >= 0 && i+1 < len(line) && line[i+1] != ' ' && !strings.Contains(line, "://")
}

// isRow reports whether a line has as many cells as header, which names the columns of a table; "" if there is none.
func isRow(line, header string) bool {
	i := strings.IndexAny(header, cells)
	return i >= 0 && strings.Count(line, header[i:i+1]) >= strings.Count(header, header[i:i+1])
}

// notText says what a list is of which no line could be read, and what helps; "" of any other.
func notText(in *bufio.Reader) string {
	begin, _ := in.Peek(4) // an error comes again with the first line
	for magic, what := range map[string]string{
		"\xff\xfe":         "UTF-16: save it as UTF-8",
		"\xfe\xff":         "UTF-16: save it as UTF-8",
		"\x1f\x8b":         "compressed: gzip -dc unpacks it, and --seeds - reads what comes through a pipe",
		"\x28\xb5\x2f\xfd": "compressed: zstd -dc unpacks it, and --seeds - reads what comes through a pipe",
		"PK\x03\x04":       "a ZIP archive or a spreadsheet: save its list as text",
	} {
		if bytes.HasPrefix(begin, []byte(magic)) {
			return what
		}
	}
	return ""
}

// endless is how long a line may be, in bytes, for its end to be looked for.
const endless = 256 << 20

// readLine returns the next line, or the beginning of it when it is too long; it holds until the next call.
func readLine(in *bufio.Reader) (line []byte, tooLong bool, err error) {
	line, err = in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, tooLong = bytes.Clone(line), true
	}
	for size := 0; errors.Is(err, bufio.ErrBufferFull); size += MaxLine {
		if _, err = in.ReadSlice('\n'); size > endless {
			return line, true, fmt.Errorf("a line of more than %d bytes", endless)
		}
	}
	return line, tooLong, err
}
