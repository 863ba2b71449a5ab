package spool

import (
	"fmt"
	"net/http"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
	"github.com/cybermapper/cybermapper/crawler"
)

// Text says for people, in their language, what stands behind a result; it is empty or begins with a colon.
func (r Result) Text(in translate.Language) string {
	switch r.Result {
	case "known":
		text := ": " + r.State
		if r.Code != 0 {
			text += fmt.Sprintf(", %d %s", r.Code, http.StatusText(r.Code))
		}
		if r.Reason != "" {
			text += ": " + in.Text(say.Reason(crawler.Reason(r.Reason)))
		}
		return text
	case "refused":
		text := fmt.Sprintf(": %s (%s, %s)", in.Text(say.Reason(crawler.Reason(r.Reason))), r.Gate, r.Reason)
		if r.Line > 0 {
			text += fmt.Sprintf(": robots.txt line %d", r.Line) // as in the ledger, in every language
		}
		if r.Rule != "" {
			text += ": " + r.Rule
		}
		return text
	}
	return ""
}
