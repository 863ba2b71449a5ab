package say

import (
	"os/exec"
	"testing"
)

// What a shell makes of an argument is what was to be said, and it runs nothing.
func TestArgument(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	for _, s := range []string{
		"", "job", "/srv/jobs/2026-03_a+b,c@d%20", "my job", "it's", `C:\jobs\x`, "~/job", "*", "a\nb",
		"https://a.example/list?page=2&sort=name#top", "https://a.example/$(echo run)", "https://a.example/?q=`echo run`",
		"https://a.example/a;echo run", "https://a.example/'$(echo run)'", "https://a.example/a|echo run", `https://a.example/"$HOME"`,
		"a=b", "{a,b}", "!!", "[a-z]", "(run)", "<in", ">out", "#", "наук",
	} {
		got, err := exec.Command(sh, "-c", "printf %s "+Argument(s)).CombinedOutput()
		if err != nil || string(got) != s {
			t.Errorf("%q as %s: the shell makes %q of it (%v)", s, Argument(s), got, err)
		}
	}
	for _, s := range []string{"job", "/srv/jobs/a-b_c.d", "https://a.example/a/b.html"} {
		if Argument(s) != s {
			t.Errorf("%s: said as %s, though no shell sees more in it", s, Argument(s))
		}
	}
}
