package jsonline_test

import (
	"fmt"

	"github.com/cybermapper/cybermapper/storage/jsonline"
)

// A line is written member by member, and read back the same way.
func Example() {
	m := jsonline.Members{Buf: []byte(`{"type":"page"`)}
	m.Text("url", "http://a.example/")
	m.Int("status", 200)
	line := append(m.Buf, '}')
	fmt.Println(string(line))

	var url string
	var status int64
	d := jsonline.Reader{Rest: line}
	ok := d.Object(func(key []byte) (ok bool) {
		switch string(key) {
		case "url":
			return d.Text(&url)
		case "status":
			status, ok = d.Int()
			return ok
		}
		return d.Text(new(string))
	})
	fmt.Println(ok, url, status)
	// Output:
	// {"type":"page","url":"http://a.example/","status":200}
	// true http://a.example/ 200
}
