package fetch

import (
	"errors"
	"reflect"
	"testing"
)

// Zero is the default; so is a negative number, but for MinRate, which it switches off.
func TestOptions_OneRule(t *testing.T) {
	for _, complete := range []func(n int64) reflect.Value{
		func(n int64) reflect.Value { return completed(n, Options.withDefaults) },
		func(n int64) reflect.Value { return completed(n, ResolverOptions.withDefaults) },
	} {
		byDefault := complete(0)
		negative := complete(-1)
		least := complete(1)
		for i := range byDefault.NumField() {
			field := byDefault.Type().Field(i)
			if k := field.Type.Kind(); k != reflect.Int && k != reflect.Int64 {
				continue
			}
			want := byDefault.Field(i).Int()
			if want <= 0 && field.Name != "MaxRate" { // any
				t.Errorf("%s has no default", field.Name)
			}
			if field.Name == "MinRate" {
				want = 0
			}
			if field.Name == "MaxWire" { // follows MaxBody
				want = byDefault.FieldByName("MaxBody").Int()
			}
			if got := negative.Field(i).Int(); got != want {
				t.Errorf("%s: -1 is read as %d, want %d", field.Name, got, want)
			}
			if got := least.Field(i).Int(); got != 1 {
				t.Errorf("%s: 1 is read as %d", field.Name, got)
			}
		}
	}
}

// completed gives every number of T the value n and completes it.
func completed[T any](n int64, withDefaults func(T) T) reflect.Value {
	var o T
	given := reflect.ValueOf(&o).Elem()
	for i := range given.NumField() {
		if f := given.Field(i); f.CanInt() {
			f.SetInt(n)
		}
	}
	return reflect.ValueOf(withDefaults(o))
}

// The kind of a failure stands once in its text, whatever package it comes from.
func TestError_SaysItsKindOnce(t *testing.T) {
	e := &Error{Kind: KindTLS, URL: "https://h/", Err: errors.New("tls: failed to verify certificate")}
	if got, want := e.Error(), "fetch https://h/: tls: failed to verify certificate"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
