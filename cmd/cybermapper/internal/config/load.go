package config

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// EnvPrefix begins the name of every environment variable that sets something.
const EnvPrefix = "CYBERMAPPER_"

// A Mistake is one thing wrong with a configuration.
type Mistake struct {
	Where string // file and line, environment variable or flag
	Text  string

	line      int  // for sorting; 0 outside files
	isUnknown bool // it is about a key that there is not
}

// String returns the key and what is wrong with it.
func (m Mistake) String() string { return m.Where + ": " + m.Text }

// An Error is everything wrong with a configuration.
type Error struct {
	Mistakes []Mistake // at least one
}

// Error returns one line per mistake.
func (e *Error) Error() string {
	lines := make([]string, len(e.Mistakes))
	for i, m := range e.Mistakes {
		lines[i] = m.String()
	}
	return strings.Join(lines, "\n")
}

// OnlyFlags reports whether all mistakes were made on the command line.
func (e *Error) OnlyFlags() bool {
	return !slices.ContainsFunc(e.Mistakes, func(m Mistake) bool { return !strings.HasPrefix(m.Where, "--") })
}

// Decode reads YAML over the struct that into points to, whose fields have yaml tags, as strictly as a configuration. lines
// tells where each key was met.
func Decode(file string, data []byte, into any) (lines map[string]int, mistakes []Mistake) {
	d := decode(file, data, into)
	return d.lines, d.mistakes
}

// MistakeAt returns a mistake on a line of a file; 0 is the file as a whole.
func MistakeAt(file string, line int, text string) Mistake {
	return Mistake{Where: at(file, line), Text: text, line: line}
}

// SortMistakes puts mistakes in the order of their lines.
func SortMistakes(mistakes []Mistake) {
	slices.SortStableFunc(mistakes, func(a, b Mistake) int { return a.line - b.line })
}

// A Loader puts a Config together: defaults, then a file, then the environment, then flags. It collects mistakes, so that
// they can all be mended at once.
type Loader struct {
	config   Config
	origin   map[string]string // path of a setting -> where it was made, for messages
	mistakes []Mistake
	warnings []string
}

// NewLoader returns a loader that holds the defaults.
func NewLoader() *Loader { return &Loader{config: Default(), origin: map[string]string{}} }

// File reads a configuration file; what it does not mention stays as it is. A setting that only earlier versions had is no mistake
// but a warning.
func (l *Loader) File(name string) error {
	if name == "" {
		return errors.New("read configuration: the name of its file is empty")
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	if isCutShort(data) {
		return fmt.Errorf("read configuration: %s was cut short: its last line, three dots, is missing; "+
			"crawl --config FILE gives a job its settings again", name)
	}
	d := decode(name, data, &l.config)
	l.mistakes = append(l.mistakes, d.mistakes...)
	for _, m := range d.retired {
		l.warnings = append(l.warnings, m.String())
	}
	for path, line := range d.lines {
		l.origin[path] = at(name, line)
	}
	return nil
}

// Environment reads the CYBERMAPPER_ variables of environ, which has the form of os.Environ. A list takes one item per
// line. An unknown variable is no mistake but a warning: what starts us may define some with our name as its prefix.
func (l *Loader) Environment(environ []string) {
	variables := map[string]*setting{}
	for _, s := range settings(&l.config) {
		variables[variableOf(s.path)] = s
	}
	slices.Sort(environ)
	for _, pair := range environ {
		name, text, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, EnvPrefix) {
			continue
		}
		s, ok := variables[name]
		if !ok {
			l.warnings = append(l.warnings, "there is no setting for the environment variable "+name)
			continue
		}
		l.origin[s.path] = name
		if err := setVariable(s, text); err != nil {
			l.mistakes = append(l.mistakes, Mistake{Where: name, Text: err.Error()})
		}
	}
}

func variableOf(path string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

func setVariable(s *setting, text string) error {
	if s.Type() != "text" {
		return s.Set(text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if err := s.Set(line); err != nil {
			return err
		}
	}
	return nil
}

// Flags applies the flags of fs that were given and that were declared by Flag.
func (l *Loader) Flags(fs *pflag.FlagSet) {
	fs.Visit(func(f *pflag.Flag) {
		if s, ok := f.Value.(*setting); ok {
			settingAt(&l.config, s.path).field.Set(s.field)
			l.origin[s.path] = "--" + f.Name
		}
	})
}

// Flag declares a flag that sets the setting at path. Its default is the one of the setting.
func Flag(fs *pflag.FlagSet, name, path, usage string) { FlagP(fs, name, "", path, usage) }

// FlagP is Flag with a letter for a single dash.
func FlagP(fs *pflag.FlagSet, name, letter, path, usage string) {
	c := Default()
	f := fs.VarPF(settingAt(&c, path).apart(), name, letter, usage)
	if f.Value.Type() == "bool" {
		f.NoOptDefVal = "true"
	}
}

// Finish validates what came together and returns it, or an *Error.
func (l *Loader) Finish() (Config, error) {
	mistakes := slices.Clone(l.mistakes)
	l.config.validate(func(path, format string, args ...any) {
		where, made := l.origin[path]
		if !made {
			where = "configuration"
		}
		mistakes = append(mistakes, Mistake{Where: where, Text: path + ": " + fmt.Sprintf(format, args...)})
	})
	if len(mistakes) == 0 {
		return l.config, nil
	}
	return l.config, &Error{Mistakes: mistakes}
}

// Warnings returns what is odd, but no mistake.
func (l *Loader) Warnings() []string { return l.warnings }

// Read returns what the file of that name sets over the defaults. It does not ask whether that makes sense, and passes over keys
// that there are not: another version wrote the file.
func Read(name string) (Config, error) {
	l := NewLoader()
	if err := l.File(name); err != nil {
		return Config{}, err
	}
	mistakes := slices.DeleteFunc(l.mistakes, func(m Mistake) bool { return m.isUnknown })
	if len(mistakes) > 0 {
		return Config{}, &Error{Mistakes: mistakes}
	}
	return l.config, nil
}
