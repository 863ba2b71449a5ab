package htmlreport

import (
	"fmt"
	"html/template"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/say"
	"github.com/cybermapper/cybermapper/storage/ledger"
)

// functions are those that every content can use.
func functions() template.FuncMap {
	return template.FuncMap{
		"count":   say.Count[int64],
		"bytes":   say.Bytes,
		"dur":     span,
		"percent": percent,
		"moment":  moment,
		"plural":  say.Plural[int64],
		"num":     func(n int64) template.HTML { return cell(float64(n), say.Count(n)) },
		"size":    func(n int64) template.HTML { return cell(float64(n), say.Bytes(n)) },
		"span":    func(d ledger.Millis) template.HTML { return cell(float64(d), span(d)) },
		"share":   func(n, of int64) template.HTML { return cell(ratio(n, of), percent(n, of)) },
	}
}

// cell returns a table cell with a number that sorts by value. text must need no escaping.
func cell(value float64, text string) template.HTML {
	return template.HTML(fmt.Sprintf(`<td class="num" data-v="%g">%s</td>`, value, template.HTMLEscapeString(text)))
}

func span(d ledger.Millis) string { return say.Span(time.Duration(d)) }

func ratio(n, of int64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// percent says which part n is of of; something is never 0 %, nor less than everything 100 %.
func percent(n, of int64) string {
	switch p := 100 * ratio(n, of); {
	case of == 0:
		return "–"
	case n > 0 && p < 0.1:
		return "< 0.1 %"
	case n < of && p > 99.9:
		return "> 99.9 %"
	case n == of || n == 0:
		return fmt.Sprintf("%.0f %%", p)
	default:
		return fmt.Sprintf("%.1f %%", p)
	}
}

func moment(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}
