package lint

import "strings"

// An audience is the names that a line stands below: the first of those that no rule parts.
type audience struct {
	names *namesAbove
	count int
}

// namesAbove are names on User-agent lines that no rule parts.
type namesAbove struct {
	list  []string
	place map[string]int // where each stands first; nil until somebody asks
}

// fewNames is up to how many names are looked at one after the other.
const fewNames = 16

// isFor reports whether a line was for a robot: the User-agent lines above it name it, or a part of it, however they are written.
// Below none it is for all.
func (m *mender) isFor(index int, robot string) bool {
	if m.robots == nil {
		m.robots = m.audiences()
	}
	return m.robots[index].has(strings.ToLower(robot))
}

// has reports whether one of the names is a part of a robot's.
func (a audience) has(robot string) bool {
	if a.count <= fewNames || len(robot) > fewNames*fewNames {
		for _, name := range a.names.list[:a.count] {
			if name == "*" || strings.Contains(robot, name) {
				return true
			}
		}
		return false
	}
	n := a.names
	if n.place == nil {
		n.place = make(map[string]int, len(n.list))
		for i, name := range n.list {
			if _, known := n.place[name]; !known {
				n.place[name] = i
			}
		}
	}
	isAmong := func(name string) bool {
		i, ok := n.place[name]
		return ok && i < a.count
	}
	if isAmong("*") || isAmong("") {
		return true
	}
	for from := range robot {
		for to := from + 1; to <= len(robot); to++ {
			if isAmong(robot[from:to]) {
				return true
			}
		}
	}
	return false
}

// audiences returns for each line whom it is for.
func (m *mender) audiences() []audience {
	all := make([]audience, len(m.lines))
	names, parted := &namesAbove{list: []string{"*"}}, true
	for i, l := range m.lines {
		switch {
		case l.isAgentLike() && parted:
			names, parted = &namesAbove{list: l.namesLike()}, false
		case l.isAgentLike():
			names.list = append(names.list, l.namesLike()...)
		case l.isRule():
			parted = true
		}
		all[i] = audience{names, len(names.list)}
	}
	return all
}
