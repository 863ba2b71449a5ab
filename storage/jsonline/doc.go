// Package jsonline writes lines of JSON, and reads them as this program writes them, in a fraction of the time that encoding/json
// takes.
//
// A [Reader] goes through a line once, without reflection. Each of its methods reports false at the first thing that is not as we
// write it; whoever reads a line with it must be able to leave it to encoding/json then, so that a line means the same to both.
package jsonline
