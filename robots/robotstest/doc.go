// Package robotstest makes what tools for robots.txt files are held against: files, right and damaged, the names that a reader
// could take from a file, and paths around its rules. It knows nothing of how package robots reads a file, so that it cannot share
// its mistakes: it takes any word for a name and any word for a path.
package robotstest
