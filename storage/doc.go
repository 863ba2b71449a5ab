// Package storage holds the contracts for what a crawl keeps.
package storage
