// Package frontier answers which page is next, and when.
package frontier
