// Package disk keeps a frontier in a directory.
package disk
