package roster

import (
	"time"

	"github.com/cybermapper/cybermapper/robots"
)

// A Register is a file sorted by whom it speaks to, as robots listen that obey the name of another one where their own does not
// stand, by the word of their makers: Googlebot-News obeys what is said to Googlebot.
type Register struct{ *robots.Register }

// NewRegister sorts a file.
func NewRegister(f *robots.File) Register { return Register{f.Register()} }

// Audience is that of the name by which a robot finds its group, as are Rules, Said and Delay.
func (r Register) Audience(token string) string { return r.Register.Audience(r.HeardAs(token)) }

// Rules returns the rules for a robot.
func (r Register) Rules(token string) *robots.Rules { return r.Register.Rules(r.HeardAs(token)) }

// Said returns what the file says to a robot.
func (r Register) Said(token string) robots.Said { return r.Register.Said(r.HeardAs(token)) }

// Delay returns the pause of what Said returns.
func (r Register) Delay(token string) (d time.Duration, line int) {
	return r.Register.Delay(r.HeardAs(token))
}

// HeardAs returns the name by which a robot finds its group: its own, or that of another robot that it obeys.
func (r Register) HeardAs(token string) string {
	return Known().Find(token).HeardAs(token, func(name string) bool { return r.Register.Audience(name) != "" })
}
