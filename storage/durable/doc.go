// Package durable brings the names in a directory to stable storage: what was created, renamed or removed in it is still so after
// power loss. The contents of files are brought there by os.File.Sync, each by itself.
package durable
