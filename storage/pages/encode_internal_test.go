package pages

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/storage"
)

// encodeSlowly returns what encoding/json makes of a line.
func encodeSlowly(l *Line) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(l)
	return b.Bytes(), err
}

// fill sets each field, in about half of the cases, to something made of text and n.
func fill(t testing.TB, v reflect.Value, r *rand.Rand, text string, n int64) {
	if r.IntN(2) == 0 {
		return
	}
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(n%1e10, n%1e9).UTC()))
		return
	}
	cut := text[r.IntN(len(text)+1):]
	switch v.Kind() {
	case reflect.String:
		v.SetString(cut)
	case reflect.Int, reflect.Int64:
		v.SetInt(n)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), r, text, n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(4), 4))
		for i := range v.Len() {
			fill(t, v.Index(i), r, text, n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.IntN(4) {
			value := reflect.New(v.Type().Elem()).Elem()
			fill(t, value, r, text, n)
			v.SetMapIndex(reflect.ValueOf(text[r.IntN(len(text)+1):]), value)
		}
	default:
		t.Fatalf("a field of type %s", v.Type())
	}
}

// FuzzEncode checks that lines are written, byte for byte, as encoding/json writes them: what earlier versions have written is
// compared with them.
func FuzzEncode(f *testing.F) {
	f.Add("text", int64(1), uint64(1))
	f.Add("<b> \"q\" \\ \x00\x1f\x7f é \u2028 \xff", int64(-5), uint64(2))
	for seed := range uint64(50) {
		f.Add("страница & \t\n", int64(seed)<<40, seed)
	}
	f.Fuzz(func(t *testing.T, text string, n int64, seed uint64) {
		var l Line
		v, r := reflect.ValueOf(&l).Elem(), rand.New(rand.NewPCG(seed, 1))
		for i := range v.NumField() {
			fill(t, v.Field(i), r, text, n)
		}
		want, werr := encodeSlowly(&l)
		got, gerr := l.appendTo(nil)
		if (werr == nil) != (gerr == nil) || werr == nil && string(got) != string(want) {
			t.Fatalf("wrote %s %v\nwant  %s %v", got, gerr, want, werr)
		}
	})
}

func TestEncode_IsWhatEncodingJSONWrites(t *testing.T) {
	l := fullLine()
	l.Kind, l.Uses = storage.KindRequisite, map[string]string{"search": "allow", "a": "b"}
	l.Preferences = []storage.Preference{{Use: "search", Value: "allow", Text: "<x>"}}
	late := Line{Fetched: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}
	for name, l := range map[string]Line{"full": l, "empty": {}, "too late": late} {
		want, werr := encodeSlowly(&l)
		got, gerr := l.appendTo(nil)
		if (werr == nil) != (gerr == nil) || werr == nil && string(got) != string(want) {
			t.Errorf("%s: wrote %s %v\nwant  %s %v", name, got, gerr, want, werr)
		}
	}
}
