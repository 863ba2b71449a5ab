package config

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// A setting is one field of a Config, named by its path. Files, the environment and flags all write through it, so they
// agree on what a value may look like. It is a pflag.Value.
type setting struct {
	path  string
	field reflect.Value
	isSet bool
}

// settings returns all settings of c in the order of their declaration. hosts is not among them: its keys are the user's.
func settings(c *Config) []*setting { return fieldSettings(reflect.ValueOf(c).Elem(), "") }

func fieldSettings(section reflect.Value, prefix string) []*setting {
	var all []*setting
	for i := range section.NumField() {
		field, path := section.Field(i), prefix+keyOf(section.Type().Field(i))
		switch {
		case field.Kind() == reflect.Struct:
			all = append(all, fieldSettings(field, path+".")...)
		case field.Kind() != reflect.Map:
			all = append(all, &setting{path: path, field: field})
		}
	}
	return all
}

// keyOf returns the key of a field in a file.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return key
}

// settingAt returns the setting of c with that path. It panics when there is none, for paths are written in this package.
func settingAt(c *Config, path string) *setting {
	field := reflect.ValueOf(c).Elem()
	for key := range strings.SplitSeq(path, ".") {
		field = fieldAt(field, key)
	}
	return &setting{path: path, field: field}
}

// fieldAt returns the field of a section that has that key in a file.
func fieldAt(section reflect.Value, key string) reflect.Value {
	for i := range section.NumField() {
		if keyOf(section.Type().Field(i)) == key {
			return section.Field(i)
		}
	}
	panic("no setting " + key)
}

// apart returns the setting with a field of its own, in the place of one that keeps a whole Config in memory.
func (s *setting) apart() *setting {
	field := reflect.New(s.field.Type()).Elem()
	field.Set(s.field)
	return &setting{path: s.path, field: field, isSet: s.isSet}
}

// Set reads text into the field. Setting a list twice appends to it, so that flags can be repeated; an empty text adds nothing, so
// that a list that a job has can be emptied.
func (s *setting) Set(text string) error {
	first := !s.isSet
	s.isSet = true
	if s.field.Kind() != reflect.Slice {
		return setField(s.field, text)
	}
	if first {
		s.field.Set(reflect.MakeSlice(s.field.Type(), 0, 1))
	}
	if text == "" {
		return nil
	}
	s.field.Set(reflect.Append(s.field, reflect.ValueOf(text)))
	return nil
}

// String returns the value as Set reads it; a list is joined by spaces.
func (s *setting) String() string {
	if s.field.Kind() == reflect.Slice {
		return strings.Join(s.field.Interface().([]string), " ")
	}
	return fmt.Sprint(s.field.Interface())
}

// Type names the kind of value for help texts.
func (s *setting) Type() string {
	if kind := kindOf(s.field); kind != "whole number" {
		return kind
	}
	return "N"
}

func kindOf(field reflect.Value) string {
	switch field.Interface().(type) {
	case Duration:
		return "duration"
	case Size:
		return "size"
	case Percent:
		return "percentage"
	}
	switch field.Kind() {
	case reflect.Bool:
		return "bool" // the name that makes pflag print no value
	case reflect.Int, reflect.Int64:
		return "whole number"
	case reflect.Float64:
		return "number"
	}
	return "text"
}

// setField reads text into a field that holds a single value.
func setField(field reflect.Value, text string) error {
	if u, ok := field.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch field.Kind() {
	case reflect.String:
		field.SetString(text)
		return nil
	case reflect.Bool:
		if text != "true" && text != "false" {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		field.SetBool(text == "true")
		return nil
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number", text)
		}
		field.SetFloat(f)
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || field.OverflowInt(n) {
		return fmt.Errorf("%q is not a whole number", text)
	}
	field.SetInt(n)
	return nil
}
