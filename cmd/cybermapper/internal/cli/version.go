package cli

import (
	"runtime"
	"runtime/debug"
)

// unreleased is the version of a program that was built where the Go toolchain notes none, as "go run" does: the release that
// is being worked on, which the changelog has at its top.
const unreleased = "v0.1.0-dev"

// A Build says which program this is. It comes from what the Go toolchain wrote into the binary.
type Build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Time     string `json:"time,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ReadBuild returns what is known of the program that runs.
func ReadBuild() Build {
	v := Build{Version: unreleased, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if mv := info.Main.Version; mv != "" && mv != "(devel)" {
		v.Version = mv
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
