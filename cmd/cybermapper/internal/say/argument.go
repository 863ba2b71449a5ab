package say

import (
	"runtime"
	"strings"
)

// Argument returns s as one argument of a command that somebody is to copy into a shell: as it is where no shell sees more in it
// than letters, else between quotes, so that neither the blanks of a folder's name nor what a site has put into a URL (a=1&b=2,
// $(reboot)) is anything but part of it. The shell is a POSIX one, on Windows PowerShell.
func Argument(s string) string {
	plain, more, apostrophe := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/:._-+%", ",@", `'\''`
	if runtime.GOOS == "windows" {
		more, apostrophe = `\`, "''" // , and @ make lists there
	}
	plain += more
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", apostrophe) + "'"
}
