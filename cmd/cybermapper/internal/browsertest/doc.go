// Package browsertest lets tests look at a page in a real browser: headless Chromium.
//
// A [Browser] is a process of its own with a profile of its own; [Browser.Open] loads a page in a tab and returns a [Page], which
// can be asked with JavaScript ([Page.Eval]), be looked at ([Page.Screenshot]), and tells what went wrong in it
// ([Page.Complaints]) and what it asked for ([Page.Requests]).
//
// Promises: the process has ended and its profile is gone when the test ends. One that ends before it has shown a
// page is started once more. Nothing is installed; where there is no Chromium the
// test says so and is skipped.
//
// Limits: for tests only. The browser runs without its sandbox, so it must be shown nothing but pages of our own. Not on
// Windows, where a child process cannot inherit the pipes.
//
//	b := browsertest.Start(t)
//	p := b.Open(t, "file:///tmp/report.html", browsertest.View{Width: 375, Height: 812, Dark: true})
//	var wide bool
//	p.Eval(t, "document.documentElement.scrollWidth > innerWidth", &wide)
//
// # Design
//
// The browser is driven by the Chrome DevTools Protocol over a pair of pipes (--remote-debugging-pipe), which needs neither a
// port nor WebSocket: messages are JSON and end in a zero byte. What is needed of the protocol is small, so no library is.
package browsertest
