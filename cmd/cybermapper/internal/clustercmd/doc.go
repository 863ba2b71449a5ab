// Package clustercmd implements cybermapper cluster: what an operator asks of a crawl that several nodes share, and of its brokers.
//
// Each command takes the configuration of the nodes. None takes part in the crawl; dev starts processes that do.
package clustercmd
