module github.com/cybermapper/cybermapper/cmd/cybermapper/testdata/pace

go 1.26.0

require (
	github.com/PuerkitoBio/fetchbot v1.2.0
	github.com/PuerkitoBio/goquery v1.13.0
	github.com/cybermapper/cybermapper v0.0.0
)

require (
	github.com/andybalholm/brotli v1.2.7 // indirect
	github.com/andybalholm/cascadia v1.3.4 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/temoto/robotstxt v1.1.2 // indirect
	golang.org/x/net v0.62.0 // indirect
)

replace github.com/cybermapper/cybermapper => ../../../..
