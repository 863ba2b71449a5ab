package structured

import (
	"reflect"
	"strings"
	"testing"
)

// TestParseDictionary reads what RFC 9651 gives as examples, and refuses what it refuses.
func TestParseDictionary(t *testing.T) {
	for in, want := range map[string]string{
		`en="Applepie", da=:w4ZibGV0w6ZydGU=:`:   `en="Applepie", da=:w4ZibGV0w6ZydGU=:`,
		"a=?0, b, c; foo=bar":                    "a=?0, b=?1, c=?1;foo=bar",
		"rating=1.5, feelings=(joy sadness)":     "rating=1.5, feelings=(joy sadness)",
		"a=(1 2), b=3, c=4;aa=bb, d=(5 6);valid": "a=(1 2), b=3, c=4;aa=bb, d=(5 6);valid",
		`a=( "x";y  "z" ) ;b`:                    "",
		`a=( "x";y  "z" );b;c;b=2`:               `a=("x";y "z");b=2;c`,
		`a="\"\\"`:                               `a="\"\\"`,
		"a=:QQ:":                                 "a=:QQ==:",
		"a=1, b=2, a=3":                          "a=3, b=2",
		`a=-1.5, b=@12, c=%"f%c3"`:               `a=-1.5, b=@12, c=%"f%c3"`,
		"":                                       "",
		"a=1,":                                   "", "a=": "", "a=(1": "", "A=1": "", "a=1 b=2": "", `a="\n"`: "", `a="`: "", "a=:%:": "", "a=?2": "", "a=1.2345": "", "a=-": "", "a=1.": "", "a=%x": "",
		"a=1234567890123456": "", "a=1234567890123.1": "", "a=(1(": "",
		"a=(1\"x\")": "", "a=\"\x7f\"": "", ",": "", strings.Repeat("a", MaxField+1): "",
	} {
		members, _ := ParseDictionary(in)
		if got := serialise(members); got != want {
			t.Errorf("ParseDictionary(%.60q) = %q, want %q", in, got, want)
		}
	}
}

func serialise(members []Member) string {
	var parts []string
	for _, m := range members {
		parts = append(parts, m.Key+"="+m.String())
	}
	return strings.Join(parts, ", ")
}

// forget takes away how it was written.
func forget(items []Item) {
	for i := range items {
		items[i].Raw = ""
		forget(items[i].List)
	}
}

// FuzzParseDictionary: what was read is read again from what is made of it, and how it was written is part of the field.
func FuzzParseDictionary(f *testing.F) {
	f.Add(`sig1=("@authority" "signature-agent";key="a");created=1;keyid="x";tag="web-bot-auth", sig2=:AA==:, c;d=?0, e=@12, g=*t/x`)
	f.Fuzz(func(t *testing.T, in string) {
		members, err := ParseDictionary(in)
		if err != nil {
			return
		}
		for _, m := range members {
			if !strings.Contains(in, m.Raw) {
				t.Fatalf("%q is not in %q", m.Raw, in)
			}
		}
		canonical := serialise(members)
		again, err := ParseDictionary(canonical)
		if err != nil && len(canonical) <= MaxField {
			t.Fatalf("%q is made of %q and cannot be read", canonical, in)
		}
		var a, b []Item
		for _, m := range members {
			a = append(a, m.Item)
		}
		for _, m := range again {
			b = append(b, m.Item)
		}
		forget(a)
		forget(b)
		if err == nil && !reflect.DeepEqual(a, b) {
			t.Fatalf("%q is read as %v, and then as %v", in, a, b)
		}
	})
}
