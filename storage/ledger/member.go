package ledger

import (
	"reflect"
	"strings"
)

// members are the keys of a line, each at the place of its field in Record.
var members = membersOf[Record]()

// placeOf is the reverse: the place of each key.
var placeOf = func() map[string]int {
	place := map[string]int{}
	for i, key := range members {
		place[key] = i
	}
	return place
}()

// alwaysThere counts the members that every record has, the first ones: seq, prev, type and time.
const alwaysThere = 4

// membersOf returns the keys that the fields of T have in JSON, by their tags.
func membersOf[T any]() (keys []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys = append(keys, key)
	}
	return keys
}

// field returns a pointer to the field at a place.
func (r *Record) field(place int) any {
	return reflect.ValueOf(r).Elem().Field(place).Addr().Interface()
}

// textOf returns a field that is a text, nil for any other.
func textOf(field any) *string {
	switch f := field.(type) {
	case *string:
		return f
	case *Type:
		return (*string)(f)
	}
	return nil
}

// TakenCookies is in the Why of an EventOverride: the cookies that Site sets are sent back to it, so that a URL that answers by a
// redirect may be asked for once more in a run.
const TakenCookies = "the cookies that it sets"
