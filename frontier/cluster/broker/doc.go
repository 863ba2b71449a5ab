// Package broker runs NATS brokers on loopback, each in a process of its own, for trying out a crawl of several nodes and for
// tests.
//
// A program becomes a broker when it is started again with a certain environment:
//
//	func main() {
//		broker.Main()
//		...
//	}
//
// Brokers end with the process that started them, whatever becomes of that. They sync each write, as those of a crawl must. Three
// on one machine have one disk, and one power supply: a crawl that is to survive a machine needs brokers on three.
package broker
