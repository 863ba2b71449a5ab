// Package brokertest runs NATS brokers for tests, each in a process of its own, so that they can be killed.
//
// A test program becomes a broker when it is started again with a certain environment:
//
//	func TestMain(m *testing.M) {
//		brokertest.Main()
//		m.Run()
//	}
//
// Brokers end with the process that started them, whatever becomes of that. They sync each write, as those of a crawl must.
package brokertest
