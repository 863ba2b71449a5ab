package roster_test

import (
	"fmt"

	"github.com/cybermapper/cybermapper/robots/roster"
)

func ExampleNewList() {
	notes, problems := roster.Parse([]byte(`
robot-id: claudebot
robot-notes: answered within a day

robot-id: neighbour
robot-owner-name: The neighbour
robot-owner-email: n@example.org
`))
	if len(problems) > 0 {
		fmt.Println(problems[0])
	}
	list := roster.NewList(roster.Bundled(), notes)
	for _, token := range []string{"ClaudeBot", "Neighbour"} {
		r := list.Find(token)
		fmt.Println(r.Owner(), "-", r.Contact(), "-", r.Value("robot-notes"))
	}
	// Output:
	// Anthropic - claudebot@anthropic.com - answered within a day
	// The neighbour - n@example.org -
}
