package main

import "github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"

// reopenOnSignal does nothing: there is no signal to ask for it.
func reopenOnSignal(*progress.Screen) (stop func()) { return func() {} }
