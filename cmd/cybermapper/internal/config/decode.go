package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/guess"
)

// A decoder reads a YAML file into a Config, strictly, and collects every mistake in it instead of stopping at the first.
// It walks the nodes itself because the messages of yaml.Decoder name Go types and lines, but not settings.
type decoder struct {
	file     string
	data     []byte
	all      []*setting // that the file may set
	mistakes []Mistake
	lines    map[string]int // where each setting was made
	retired  []Mistake      // settings that had an effect in earlier versions only
}

// retired are the settings that earlier versions had and wrote into the files of their jobs, which go on with this one.
var retired = map[string]bool{"traps.endless_long": true}

// decode reads data over what into points to: a struct whose fields have yaml tags.
func decode(file string, data []byte, into any) *decoder {
	d := &decoder{file: file, data: data, all: fieldSettings(reflect.ValueOf(into).Elem(), ""), lines: map[string]int{}}
	var doc yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(data))
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return d // an empty file sets nothing
	case err != nil:
		d.syntax(err)
		return d
	}
	d.section(doc.Content[0], reflect.ValueOf(into).Elem(), "")
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case err == nil:
		d.add(second.Line, "a second document begins here: a configuration is a single one")
	case !errors.Is(err, io.EOF):
		d.syntax(err)
	}
	SortMistakes(d.mistakes)
	return d
}

var (
	yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)
	// yamlGrammar matches what its grammar, unlike its scanner, complains of: it counts lines from 0.
	yamlGrammar = regexp.MustCompile(`^did not find expected (<|node|key|'-'|',')`)
)

// yamlRemedies says what to do about what YAML complains of.
var yamlRemedies = map[string]string{
	"found unknown escape character":          escapeRemedy,
	"did not find expected hexdecimal number": escapeRemedy,
	"found unexpected end of stream":          "a quotation mark is not closed",
	"could not find expected ':'":             "a key ends in a colon and a space",
	"did not find expected key":               sameIndent,
	"did not find expected '-' indicator":     sameIndent,
	"did not find expected ',' or ']'":        "in a list what has a ? or another special character in it must be in quotes",
	"mapping values are not allowed in this context": "keys of one section are indented alike and end in a colon and a space, " +
		"and a text with a colon and a space in it must be in quotes",
	"block sequence entries are not allowed in this context": "items behind a dash stand on lines of their own, below the key",
	"found character that cannot start any token": "lines are indented with spaces, not tabs, and what begins with @, % or ` " +
		"must be in quotes",
	"did not find expected alphabetic or numeric character": "what begins with * or & must be in quotes",
}

const (
	escapeRemedy = `a backslash in "..." begins an escape; in '...' it stands for itself`
	sameIndent   = "here, or below in the same section, a line is not indented like the others, or something stands behind a " +
		"closing quote or bracket"
)

// syntax notes that the file is not YAML at all.
func (d *decoder) syntax(err error) {
	m := yamlLine.FindStringSubmatch(err.Error())
	line, _ := strconv.Atoi(m[1])
	text := strings.TrimPrefix(err.Error(), m[0])
	remedy, known := yamlRemedies[text]
	switch {
	case yamlGrammar.MatchString(text):
		line++
	case line == 0 && known:
		line = 1
	case line == 0:
		line = d.firstUnreadable()
	}
	if known {
		text += ": " + remedy
	}
	d.add(line, "not YAML: %s", text)
}

// firstUnreadable returns the line of the first byte that is not text, which YAML does not tell; 1 when all is text, as it does not
// tell that line either.
func (d *decoder) firstUnreadable() int {
	i := bytes.IndexFunc(d.data, func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) && !unicode.IsSpace(r) })
	return 1 + bytes.Count(d.data[:max(i, 0)], []byte("\n"))
}

func (d *decoder) add(line int, format string, args ...any) {
	d.mistakes = append(d.mistakes, Mistake{Where: at(d.file, line), Text: fmt.Sprintf(format, args...), line: line})
}

func at(file string, line int) string {
	if line == 0 {
		return file
	}
	return file + ":" + strconv.Itoa(line)
}

// section reads a mapping whose keys are the fields of a struct. prefix is its path and a dot, or nothing.
func (d *decoder) section(n *yaml.Node, into reflect.Value, prefix string) {
	var keys []string
	fields := map[string]reflect.Value{}
	for i := range into.NumField() {
		key := keyOf(into.Type().Field(i))
		keys, fields[key] = append(keys, key), into.Field(i)
	}
	d.pairs(n, prefix, func(key, value *yaml.Node) {
		field, ok := fields[key.Value]
		switch {
		case ok:
			d.value(value, field, prefix+key.Value)
		case retired[prefix+key.Value]:
			text := prefix + key.Value + " was a setting of earlier versions: it has no effect"
			d.retired = append(d.retired, MistakeAt(d.file, key.Line, text))
		default:
			d.unknown(key, prefix, keys)
		}
	})
}

func (d *decoder) unknown(key *yaml.Node, prefix string, known []string) {
	defer func() { d.mistakes[len(d.mistakes)-1].isUnknown = true }()
	if place := d.placeOf(prefix, key.Value); place != "" {
		d.add(key.Line, "unknown key %s%s: %s", prefix, key.Value, place)
		return
	}
	if name, ok := guess.Word(key.Value, known); ok {
		d.add(key.Line, "unknown key %s%s: did you mean %s?", prefix, key.Value, name)
		return
	}
	slices.Sort(known)
	d.add(key.Line, "unknown key %s%s: known are %s", prefix, key.Value, strings.Join(known, ", "))
}

// placeOf says where a setting is to be written that stands in the wrong section, or whose whole path is written as one key; ""
// when that is not clear.
func (d *decoder) placeOf(prefix, key string) string {
	isSection, place := prefix == "", ""
	for _, s := range d.all {
		isSection = isSection || strings.HasPrefix(s.path, prefix)
		i := strings.LastIndexByte(s.path, '.')
		section, name := s.path[:max(i, 0)], s.path[i+1:]
		if name != key && s.path != key {
			continue
		}
		if place != "" {
			return "" // several sections have one
		}
		place = fmt.Sprintf("write %s below %s", name, section)
		if section == "" {
			place = "write " + name + " at the beginning of a line, below nothing"
		}
	}
	if !isSection {
		return ""
	}
	return place
}

// pairs calls f for each key and value of a mapping, and reports what is no mapping and keys that occur twice.
func (d *decoder) pairs(n *yaml.Node, prefix string, f func(key, value *yaml.Node)) {
	n = resolve(n)
	if isNull(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		d.add(n.Line, "%swants keys and values below it, not %s", label(prefix), describe(n))
		return
	}
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if line, twice := first[key.Value]; twice {
			d.add(key.Line, "%s%s is already set on line %d", prefix, key.Value, line)
			continue
		}
		first[key.Value] = key.Line
		f(key, value)
	}
}

func label(prefix string) string {
	if prefix == "" {
		return "the file "
	}
	return strings.TrimSuffix(prefix, ".") + " "
}

// value reads one node into a field of any kind.
func (d *decoder) value(n *yaml.Node, field reflect.Value, path string) {
	n = resolve(n)
	d.lines[path] = n.Line
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	switch field.Kind() {
	case reflect.Struct:
		d.section(n, field, path+".")
	case reflect.Map:
		d.entries(n, field, path+".")
	case reflect.Slice:
		d.list(n, field, path)
	default:
		d.scalar(n, field, path)
	}
}

// entries reads a mapping whose keys are the user's own.
func (d *decoder) entries(n *yaml.Node, into reflect.Value, prefix string) {
	into.Set(reflect.MakeMap(into.Type()))
	d.pairs(n, prefix, func(key, value *yaml.Node) {
		entry := reflect.New(into.Type().Elem()).Elem()
		d.lines[prefix+key.Value] = key.Line
		d.section(value, entry, prefix+key.Value+".")
		into.SetMapIndex(reflect.ValueOf(key.Value), entry)
	})
}

func (d *decoder) list(n *yaml.Node, field reflect.Value, path string) {
	field.Set(reflect.MakeSlice(field.Type(), 0, len(n.Content)))
	if isNull(n) {
		return
	}
	if n.Kind != yaml.SequenceNode {
		d.add(n.Line, "%s wants a list, not %s: write [a, b], or one item per line behind a dash", path, describe(n))
		return
	}
	for _, item := range n.Content {
		text := reflect.New(field.Type().Elem()).Elem()
		before := len(d.mistakes)
		if d.scalar(resolve(item), text, path); len(d.mistakes) == before {
			field.Set(reflect.Append(field, text))
		}
	}
}

func (d *decoder) scalar(n *yaml.Node, field reflect.Value, path string) {
	kind := kindOf(field)
	switch {
	case isNull(n):
		d.add(n.Line, "%s has no value: remove the line, or write one", path)
		return
	case n.Kind != yaml.ScalarNode:
		d.add(n.Line, "%s wants a %s, not %s", path, kind, describe(n))
		return
	case kind == "text" && n.Tag != "!!str":
		d.add(n.Line, "%s wants text, not %s: put it in quotes", path, describe(n))
		return
	case kind == "bool" && n.Tag != "!!bool":
		d.add(n.Line, "%s: %q is neither true nor false", path, n.Value)
		return
	}
	if err := setField(field, n.Value); err != nil {
		d.add(n.Line, "%s: %v", path, err)
	}
}

// resolve follows an alias to what it stands for.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// describe names what stands in the file in words.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.Tag {
	case "!!int", "!!float":
		return "the number " + n.Value
	case "!!bool":
		return n.Value
	case "!!timestamp":
		return "the date " + n.Value
	}
	return strconv.Quote(n.Value)
}
