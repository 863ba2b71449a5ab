package audit

import "maps"

// strays keep evidence about clients that do not say that they are robots and go where robots may not. Most of them are people, to
// whom robots.txt does not speak; which of them behave like robots is known in the end only.
type strays map[*client][]Evidence

// Bounds of what strays keep.
const (
	maxStrays     = 1000 // clients
	maxStrayLines = 5    // of each
)

// keeps reports whether another line of a client would be kept: the first few are.
func (s strays) keeps(c *client) bool { return len(s[c]) < maxStrayLines }

// add keeps a line of a client. When there are too many clients, those are forgotten that strayed least.
func (s strays) add(c *client, line Evidence) {
	lines := s[c]
	if len(lines) == 0 && len(s) >= maxStrays {
		for least := int64(1); len(s) > maxStrays/2; least *= 2 {
			maps.DeleteFunc(s, func(c *client, _ []Evidence) bool { return int64(c.disallowed) <= least })
		}
	}
	s[c] = append(lines, line)
}
