package lint_test

import (
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/robots/lint"
)

func TestFix(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"right already", "# all\nuser-agent: *\nDISALLOW: /tmp/ # soon gone\n\nSitemap: https://a.example/s.xml\n", ""},
		{"what a program has written stays apart", "# BEGIN Cloudflare Managed content\n\nUser-agent: *\nContent-Signal: search=yes\nAllow: /\n\n" +
			"# END Cloudflare Managed Content\n\nUser-agent: *\nDisallow: /own/\n", ""},
		{"START with no END", "# START\nUser-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n", "# START\nUser-agent: *\nDisallow: /a\nDisallow: /b\n"},
		{"R-028 line ends", "User-agent: *\rDisallow: /a\r\nDisallow: /b\n", "User-agent: *\nDisallow: /a\nDisallow: /b\n"},
		{"R-062 byte order mark", "\ufeffUser-agent: *\nDisallow:\n", "User-agent: *\nDisallow:\n"},
		{"R-062 UTF-16", "\xff\xfeU\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00*\x00\n\x00D\x00i\x00s\x00a\x00l\x00l\x00o\x00w\x00:\x00/\x00", "User-agent:*\nDisallow:/"},
		{"R-062 Latin-1", "User-agent: *\nDisallow: /caf\xe9/ # caf\xe9\n", "User-agent: *\nDisallow: /caf%E9/ # caf\xe9\n"},
		{"R-062 no-break space", "User-agent: *\nDisallow:\u00a0/tmp/\u00a0\n", "User-agent: *\nDisallow: /tmp/\n"},
		{"R-054 blanks in paths, of which 1994 makes the front page", "User-agent: *\nDisallow: / cyberworld / map / # endless\n", ""},
		{"R-095 several paths, one of them all, beside an Allow", "User-agent: *\nAllow: /\nDisallow: / *&o= *\n", ""},
		{"R-095 several paths, the last one all, beside an Allow", "User-agent: *\nAllow: /\nDisallow: /x/ *\n", ""},
		{"R-055 translated", "User-agent: *\nЗапрещать: /tmp/\n", "User-agent: *\nDisallow: /tmp/\n"},
		{"R-057 prose", "where robots may go\nUser-agent: *\nDisallow: /a\n", "# where robots may go\nUser-agent: *\nDisallow: /a\n"},
		{"R-058 two directives", "User-agent: * Disallow: /cyberworld/map/ # endless\n", "User-agent: * # endless\nDisallow: /cyberworld/map/\n"},
		{"R-059 lost Disallow is left to the owner", v7, ""},
		{"R-038 rule before agent", "Disallow: /a # x\n\nUser-agent: b\nDisallow: /\n", "User-agent: *\nDisallow: /a # x\n\nUser-agent: b\nDisallow: /\n"},
		{"R-041 two groups for *", "User-agent: *\nDisallow: /a\n\nUser-agent: b\nDisallow: /\n\nUser-agent: * # more\n# why\nDisallow: /c\nCrawl-delay: 5\nDisallow: /d\n",
			"User-agent: *\nDisallow: /a\n# more\n# why\nDisallow: /c\nCrawl-delay: 5\nDisallow: /d\n\nUser-agent: b\nDisallow: /\n"},
		{"R-044 empty Disallow", "User-agent: *\nDisallow: /a\nDisallow: # nothing\n", "User-agent: *\nDisallow: /a\n# nothing\n"},
		{"R-045 group without rules", "User-agent: a\n", "User-agent: a\nDisallow:\n"},
		{"R-029 blank line", "User-agent: *\n\n# here\n\nDisallow: /a\n", "User-agent: *\n# here\nDisallow: /a\n"},
		{"R-093 missing slash", "User-agent: *\nDisallow: tmp\nAllow: tmp/x\n", "User-agent: *\nDisallow: /tmp\nAllow: tmp/x\n"},
		{"R-095 several paths", "User-agent: *\nDisallow: /a /b, /c\n", "User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /c\n"},
		{"several paths and an Allow that would win", "User-agent: *\nDisallow: /a /b\nAllow: /a%20/\n", "User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /a%20/b\nAllow: /a%20/\n"},
		{"several paths, allowed", "User-agent: *\nDisallow: /\nAllow: /a /b\n", ""},
		{"misspelt", "User-agent: *\nDisalow: /a\nDisllow: /b\n", "User-agent: *\nDisallow: /a\nDisallow: /b\n"},
		{"misspelt Allow", "User-agent: *\nDisallow: /\nAlow: /b\n", ""},
		{"misspelt name would leave *", "User-agent: *\nDisallow: /b\n\nUseragent: b\nDisallow: /x\n", ""},
		{"missing colon", "User-agent *\nDisallow /a\n", "User-agent: *\nDisallow: /a\n"},
		{"full URL of who knows which host", "User-agent: *\nDisallow: http://www.site.example/tmp/\nDisallow: http://www.site.example/\n", ""},
		{"full URL of all", "User-agent: *\nDisallow: https://www.site.example/*\n", ""},
		{"R-038 rule before agent would close all", "Disallow: /\n", ""},
		{"other characters for the colon", "User-agent: *\nDisallow=/x\nDisallow; /y # z\n", "User-agent: *\nDisallow: /x\nDisallow: /y # z\n"},
		{"zero-width character in a field name", "User-agent: *\nDis\u200ballow: /x\n", "User-agent: *\nDisallow: /x\n"},
		{"names in a list", "User-agent: Googlebot, Bingbot\nDisallow: /a\n", "User-agent: Googlebot\nUser-agent: Bingbot\nDisallow: /a\n"},
		{"names in a list would leave *", "User-agent: *\nDisallow: /b\n\nUser-agent: Googlebot, Bingbot\nDisallow: /a\n", ""},
		{"version", "User-agent: Foo/1.0\nDisallow: /a\n", "User-agent: Foo\nDisallow: /a\n"},
		{"said twice", "User-agent: *\nDisallow: /a\nDisallow: /a # x\n", "User-agent: *\nDisallow: /a\n# x\n"},
		{"said twice, but not to Google", "User-agent: *\nDisallow: /a\nDisallow: /%61\n", ""},
		{"control character", "User-agent: *\nDisallow: /a\x00\n", "User-agent: *\nDisallow: /a\n"},
		{"CRLF stays", "User-agent: *\r\nDisallow: a\r\n", "User-agent: *\r\nDisallow: /a\r\n"},
		{"web page", "<!DOCTYPE html>\nDisallow: a\n", ""},
		{"picture", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\nDisallow\x00a: \n", ""},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want == "" {
				want = tt.in
			}
			got := string(lint.Fix([]byte(tt.in), lint.Options{}))
			if got != want {
				t.Errorf("Fix(%q)\n got %q\nwant %q", tt.in, got, want)
			}
			if again := string(lint.Fix([]byte(got), lint.Options{})); again != got {
				t.Errorf("Fix twice: %q, then %q", got, again)
			}
		})
	}
}

// TestFix_host: a rule that is written as a URL is mended if it speaks of the host that serves the file.
func TestFix_host(t *testing.T) {
	const in = "User-agent: *\nDisallow: http://www.site.example/tmp/\nDisallow: https://other.example/x\nDisallow: http://www.site.example/\n"
	const want = "User-agent: *\nDisallow: /tmp/\nDisallow: https://other.example/x\nDisallow: http://www.site.example/\n"
	for _, host := range []string{"www.site.example", "SITE.example:80"} {
		if got := string(lint.Fix([]byte(in), lint.Options{Host: host})); got != want {
			t.Errorf("Fix for %s: %q, want %q", host, got, want)
		}
	}
	if got := string(lint.Fix([]byte(in), lint.Options{Host: "third.example"})); got != in {
		t.Errorf("Fix for another host: %q", got)
	}
}

// TestFix_harmless has files in which a repair would open what was closed, or close what nobody meant.
func TestFix_harmless(t *testing.T) {
	for _, in := range []string{
		"User-agent: ClaudeBot\nDisalow: /\n",
		"User-agent: *\nDisallow=/\n",
		"User-agent: *\nDisallow everything\n",
		"User-agent: AhrefsBot Disallow: /\n",
		"Useragent: GPTBot\nDisallow: /\n",
		"User-agent: *\nDisallow: /\x00x\n",
		"User-agent: *\nDisallow: / cyberworld / map /\n",
		"User-agent: a b\nDisallow: /x\n",
		"User-agent: *\n\nAllow: /feed/$\nDisallow: /feed\n",
	} {
		got := string(lint.Fix([]byte(in), lint.Options{}))
		judgeFix(t, in, []byte(in), []byte(got))
		if strings.Contains(got, "Disallow:\n") || strings.Contains(got, "Disallow: /\n") != strings.Contains(in, "Disallow: /\n") {
			t.Errorf("Fix(%q) = %q", in, got)
		}
	}
	const in = "User agent: Googlebot\nDisallow: /dev/\n"
	if got := string(lint.Fix([]byte(in), lint.Options{})); got != "User-agent: Googlebot\nDisallow: /dev/\n" {
		t.Errorf("Fix(%q) = %q", in, got)
	}
}

// v7 is the example of the robots FAQ in the form in which it survived: the empty Disallow below webcrawler is lost.
const v7 = "User-agent: webcrawler\n\nUser-agent: lycra\nDisallow: /\n\nUser-agent: *\nDisallow: /tmp\nDisallow: /logs\n"

// TestFix_cost counts what is made to judge the repairs of files that are dear: it must not grow faster than the files.
func TestFix_cost(t *testing.T) {
	small, large := hostile(4_000), hostile(16_000)
	for name := range small {
		few := testing.AllocsPerRun(1, func() { lint.Fix(small[name], lint.Options{}) })
		many := testing.AllocsPerRun(1, func() { lint.Fix(large[name], lint.Options{}) })
		if many > 10*few+10_000 {
			t.Errorf("%s: a file four times as long takes %.0f allocations in place of %.0f", name, many, few)
		}
	}
}

// TestFix_OfTheNameThatARobotObeys: a name is not mended if the robot obeyed that of another one without it, which closes more.
func TestFix_OfTheNameThatARobotObeys(t *testing.T) {
	const rest = "\n\nUser-agent: Googlebot\nDisallow: /"
	for _, line := range []string{"User-agnt: Googlebot-News", "User-agent:\u00a0Googlebot-News"} {
		text := line + "\nDisallow: /tmp" + rest + "\n"
		if mended := lint.Fix([]byte(text), lint.Options{}); string(mended) != text {
			t.Errorf("%q became %q", text, mended)
		}
	}
	mended := lint.Fix([]byte("User-agent:\u00a0other-news\nDisallow: /tmp"+rest+"\n"), lint.Options{})
	if want := "User-agent: other-news\nDisallow: /tmp" + rest + "\n"; string(mended) != want {
		t.Errorf("became %q, want %q", mended, want)
	}
}
