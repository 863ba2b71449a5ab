package config_test

import (
	"fmt"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
)

func Example() {
	l := config.NewLoader()
	l.Environment([]string{"CYBERMAPPER_POLITENESS_DELAY=5", "CYBERMAPPER_CRAWL_SCOPE=hosts"})
	_, err := l.Finish()
	fmt.Println(err)
	// Output:
	// CYBERMAPPER_POLITENESS_DELAY: "5" has no unit: write 5s, 5m or 5h
	// CYBERMAPPER_CRAWL_SCOPE: crawl.scope: "hosts" is unknown: did you mean host?
}
