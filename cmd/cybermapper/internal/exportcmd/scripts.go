package exportcmd

import (
	"bytes"
	"slices"

	"golang.org/x/net/html"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
)

// A scripts says in which pages of a copy the files with scripts are run.
type scripts string

// With scriptsAuto they are run but in pages that an application renders again in the browser.
const (
	scriptsAuto scripts = "auto"
	scriptsAll  scripts = "all"
	scriptsNone scripts = "none"
)

// check is an error when s is none of the values.
func (s scripts) check() error {
	if !slices.Contains([]scripts{scriptsAuto, scriptsAll, scriptsNone}, s) {
		return cli.UsageError("choose auto, all or none", "no such value of --scripts: %q", string(s))
	}
	return nil
}

// held reports whether the files with scripts of a page are not to be run.
func (s scripts) held(page []byte) bool {
	return s == scriptsNone || s == scriptsAuto && isRenderedAgain(page)
}

// noScriptFiles keeps a browser from running files, and not from running what stands in the page: this puts parts that a server
// sent late where they belong.
const noScriptFiles = `<meta http-equiv="Content-Security-Policy" content="script-src 'unsafe-inline'">`

// These tell that a page was rendered on a server by an application that renders it once more in the browser: by the address, which
// of a file is none of its own, so that it shows "not found" or leads away. Those whose scripts are modules are not here, for
// browsers run no modules from files.
var (
	applicationIDs = [][]byte{
		[]byte("__next"), []byte("__NEXT_DATA__"), // Next.js
		[]byte("__nuxt"),                            // Nuxt
		[]byte("___gatsby"), []byte("__docusaurus"), // Gatsby, Docusaurus
	}
	applicationAttributes = [][]byte{
		[]byte("data-reactroot"),       // React 17 and earlier
		[]byte("data-server-rendered"), // Vue 2
		[]byte("ng-server-context"),    // Angular
	}
	applicationComments = [][]byte{
		[]byte("$"), []byte("/$"), // what may come late, in React
		[]byte("["), // a list, in Vue 3 and Svelte 5
	}
	applicationScripts = [][]byte{
		[]byte("self.__next_f"), []byte("window.__NUXT__"), []byte("window.__remixContext"), []byte("window.__reactRouterContext"),
	}
)

// isRenderedAgain reports whether an application would render the page again in the browser.
func isRenderedAgain(page []byte) bool {
	z := html.NewTokenizer(bytes.NewReader(page))
	inScript := false
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return false
		case html.CommentToken:
			if among(z.Text(), applicationComments) {
				return true
			}
		case html.TextToken:
			isOf := func(s []byte) bool { return bytes.Contains(z.Raw(), s) }
			if inScript && slices.ContainsFunc(applicationScripts, isOf) {
				return true
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			inScript = string(name) == "script"
			for more {
				var key, value []byte
				key, value, more = z.TagAttr()
				if among(key, applicationAttributes) || string(key) == "id" && among(value, applicationIDs) {
					return true
				}
			}
		default:
			inScript = false
		}
	}
}

func among(s []byte, list [][]byte) bool {
	return slices.ContainsFunc(list, func(of []byte) bool { return bytes.Equal(s, of) })
}
