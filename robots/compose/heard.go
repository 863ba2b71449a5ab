package compose

import (
	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/roster"
)

// A listened is a file sorted by whom it speaks to, as robots listen that obey the name of another one where their own does not
// stand, by the word of their makers: Googlebot-News obeys what is said to Googlebot.
type listened struct{ *robots.Register }

func listen(body []byte, d robots.Dialect) listened {
	return listened{robots.Parse(body, d).Register()}
}

// Audience is that of the name by which a robot finds its group, as are Rules and Said.
func (l listened) Audience(name string) string { return l.Register.Audience(l.heardAs(name)) }

// Rules returns the rules for a robot.
func (l listened) Rules(name string) *robots.Rules { return l.Register.Rules(l.heardAs(name)) }

// Said returns what the file says to a robot.
func (l listened) Said(name string) robots.Said { return l.Register.Said(l.heardAs(name)) }

// heardAs returns the name by which a robot finds its group: its own, or that of another robot that it obeys.
func (l listened) heardAs(name string) string {
	return roster.Known().Find(name).HeardAs(name, func(name string) bool { return l.Register.Audience(name) != "" })
}
