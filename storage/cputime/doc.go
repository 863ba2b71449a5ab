// Package cputime measures the processor time that this process has used, for tests and benchmarks: that of all its threads, in the
// program and in the system. Unlike time by the clock it hardly depends on what else a machine does.
package cputime
