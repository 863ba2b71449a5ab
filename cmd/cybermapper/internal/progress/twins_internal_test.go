package progress

import (
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
)

// Ensure that a summary names origins that look like one site, with the setting that leaves one out, and not without end.
func TestReport_NamesTwins(t *testing.T) {
	r := &Report{State: Ended}
	for _, host := range []string{"a", "b", "c", "d", "e"} {
		r.Twins = append(r.Twins, Twin{Origin: "https://www." + host + ".example", Of: "https://" + host + ".example", Pages: 12, Setting: "--exclude '" + host + "'"})
	}
	var b strings.Builder
	r.Print(&b, translate.Language{})
	for _, want := range []string{
		"twins      https://www.a.example and https://a.example look like one site: 12 pages at both; to visit one only: --exclude 'a'\n",
		"           https://www.c.example and ", "           and 2 more, see report.json\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &b)
		}
	}
	if strings.Contains(b.String(), "www.d.example") {
		t.Errorf("the report names more than %d twins:\n%s", shownTwins, &b)
	}
}
