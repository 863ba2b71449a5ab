package extract

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// treeSize returns the bytes of the nodes, attributes and texts of a tree.
func treeSize(root *html.Node) int64 {
	size := int64(nodeCost)
	for n := range root.Descendants() {
		size += nodeCost + cloneAttr*int64(len(n.Attr))
	}
	return size
}

func parse(text []byte) (*html.Node, error) {
	return html.ParseWithOptions(bytes.NewReader(text), html.ParseOptionEnableScripting(false))
}

// checkWeight fails if a page that weigh or glance lets pass makes a larger tree than they say.
func checkWeight(t *testing.T, text []byte) {
	t.Helper()
	weight, weighed := weigh(text, 64<<20)
	atAGlance, glanced := glance(text)
	if !weighed && !glanced {
		return
	}
	root, err := parse(text)
	if err != nil {
		return
	}
	size := treeSize(root)
	if weighed && size > weight {
		t.Fatalf("tree of %d bytes, weighed as %d:\n%.3000q", size, weight, text)
	}
	if glanced && size > atAGlance {
		t.Fatalf("tree of %d bytes, %d at a glance:\n%.3000q", size, atAGlance, text)
	}
}

// soup are the tags from which tests and fuzzing cook pages: those with rules of their own in tree construction.
var soup = strings.Fields(`<a> <a.href=1> </a> <b> <b.id=1> <b.id=2> </b> <i> <i.x=y.z> </i> <nobr> </nobr> <font> <font.color=1> </font>
	<em.q> <em.w> </em> <p> </p> <div> </div> <form> </form> <li> <ul> </ul> </li> <h1> </h1> <h2> <table> </table> <tr> </tr> <td> </td>
	<tbody> </tbody> <th> <caption> </caption> <col> <colgroup> </colgroup> <select> </select> <option> <object> </object> <applet>
	</applet> <marquee> </marquee> <template> </template> <svg> </svg> <svg/> <g> </g> <g.a=b/> <g/> <foreignobject> </foreignobject>
	<title> </title> <desc> </desc> <math> </math> <mi> </mi> <annotation-xml> </annotation-xml> <script> </script> <style> </style>
	<textarea> </textarea> <noscript> </noscript> <frameset> <frame> </frameset> <noframes> </noframes> <html> <html.a=b> <body> <body.c>
	</body> </html> <head> </head> <br> </br> <hr> <input> <image> <button> </button> <dd> <dt> </dt> <rt> <ruby> <pre> </pre> <span>
	</span> <x-y> </x-y> <iframe> </iframe> <xmp> </xmp> <![CDATA[ ]]> <!-- --> <!DOCTYPE> x x x <meta> <link> <base> <plaintext>`)

// cook makes a page of n tags: a random one from soup each, some of them many times over.
func cook(r *rand.Rand, n int) []byte {
	var b bytes.Buffer
	menu := make([]string, 2+r.IntN(14))
	for i := range menu {
		menu[i] = strings.ReplaceAll(soup[r.IntN(len(soup))], ".", " ")
	}
	for range n {
		tag := menu[r.IntN(len(menu))]
		if r.IntN(8) == 0 {
			tag = strings.ReplaceAll(soup[r.IntN(len(soup))], ".", " ")
		}
		repeat := 1
		if r.IntN(30) == 0 {
			repeat = r.IntN(40)
		}
		for i := range repeat {
			if r.IntN(3) == 0 {
				b.WriteString(strings.Replace(tag, "=", "="+string(rune('a'+i%26)), 1))
			} else {
				b.WriteString(tag)
			}
		}
	}
	return b.Bytes()
}

func TestWeigh_IsUpperBound(t *testing.T) {
	if testing.Short() {
		t.Skip("reads one page after the other")
	}
	r := rand.New(rand.NewPCG(1, 2))
	passed := 0
	for range 2000 {
		page := cook(r, 10+r.IntN(400))
		if _, ok := weigh(page, 64<<20); ok {
			passed++
		}
		checkWeight(t, page)
	}
	t.Logf("%d of 2000 passed", passed)
}
