package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

const envPrefix = "CYBERMAPPER_"

// A loader puts a Config together: defaults, then a file, then the environment, then flags. It collects mistakes, so that
// they can all be mended at once.
type loader struct {
	config   Config
	origin   map[string]string // path of a setting -> where it was made, for messages
	mistakes []mistake
	warnings []string
}

func newLoader() *loader { return &loader{config: defaultConfig(), origin: map[string]string{}} }

// file reads a configuration file; what it does not mention stays as it is.
func (l *loader) file(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return &exitError{code: exitConfig, err: fmt.Errorf("read configuration: %w", err)}
	}
	d := decodeConfig(name, data, &l.config)
	l.mistakes = append(l.mistakes, d.mistakes...)
	for path, line := range d.lines {
		l.origin[path] = at(name, line)
	}
	return nil
}

// environment reads the CYBERMAPPER_ variables of environ, which has the form of os.Environ. A list takes one item per
// line. An unknown variable is no mistake but a warning: what starts us may define some with our name as its prefix.
func (l *loader) environment(environ []string) {
	variables := map[string]*setting{}
	for _, s := range settings(&l.config) {
		variables[variableOf(s.path)] = s
	}
	slices.Sort(environ)
	for _, pair := range environ {
		name, text, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, envPrefix) {
			continue
		}
		s, ok := variables[name]
		if !ok {
			l.warnings = append(l.warnings, "there is no setting for the environment variable "+name)
			continue
		}
		l.origin[s.path] = name
		if err := setVariable(s, text); err != nil {
			l.mistakes = append(l.mistakes, mistake{where: name, text: err.Error()})
		}
	}
}

func variableOf(path string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
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

// flags applies the flags of fs that were given and that were declared by settingFlag.
func (l *loader) flags(fs *pflag.FlagSet) {
	fs.Visit(func(f *pflag.Flag) {
		if s, ok := f.Value.(*setting); ok {
			settingAt(&l.config, s.path).field.Set(s.field)
			l.origin[s.path] = "--" + f.Name
		}
	})
}

// settingFlag declares a flag that sets the setting at path. Its default is the one of the setting.
func settingFlag(fs *pflag.FlagSet, name, path, usage string) {
	c := defaultConfig()
	f := fs.VarPF(settingAt(&c, path), name, "", usage)
	if f.Value.Type() == "bool" {
		f.NoOptDefVal = "true"
	}
}

// finish validates what came together and returns it, or all mistakes in one error.
func (l *loader) finish() (Config, error) {
	l.config.validate(func(path, format string, args ...any) {
		where, made := l.origin[path]
		if !made {
			where = "configuration"
		}
		l.mistakes = append(l.mistakes, mistake{where: where, text: path + ": " + fmt.Sprintf(format, args...)})
	})
	if len(l.mistakes) == 0 {
		return l.config, nil
	}
	code := exitUsage
	var all []error
	for _, m := range l.mistakes {
		if !strings.HasPrefix(m.where, "--") {
			code = exitConfig
		}
		all = append(all, errors.New(m.where+": "+m.text))
	}
	return l.config, &exitError{code: code, err: errors.Join(all...)}
}
