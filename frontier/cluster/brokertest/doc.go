// Package brokertest runs NATS brokers for tests, each in a process of its own (package broker), so that they can be killed.
// A [Proxy] cuts nodes off from them, or loses what they answer.
//
// A test program becomes a broker when it is started again with a certain environment:
//
//	func TestMain(m *testing.M) {
//		brokertest.Main()
//		m.Run()
//	}
package brokertest
