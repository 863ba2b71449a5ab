//go:build race

package trap

const raceEnabled = true
