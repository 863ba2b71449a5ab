package say

import "strings"

// Cell returns a text of the web as a cell of CSV, which people open as a spreadsheet: what would begin a formula there stands
// behind an apostrophe.
func Cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
