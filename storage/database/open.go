package database

import (
	"cmp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// retryPause is how long a database that was given up waits before it tries again.
const retryPause = time.Second

// Open opens the database in dir. The listener of o hears of everything, as ever. isAbandoned says that the
// database has been left to itself, with o.Cache and o.Lock: then, and only then, release is called when it is done with them.
func Open(dir string, o *pebble.Options, release func()) (db *pebble.DB, isAbandoned bool, err error) {
	type result struct {
		db  *pebble.DB
		err error
	}
	var abandoned atomic.Bool
	opened, failed := make(chan result, 1), make(chan error, 1)
	var listener pebble.EventListener
	if o.EventListener != nil {
		listener = *o.EventListener
	}
	tell := listener.BackgroundError
	listener.BackgroundError = func(err error) {
		if tell != nil {
			tell(err)
		}
		select {
		case failed <- err:
		default:
		}
		if abandoned.Load() {
			time.Sleep(retryPause)
		}
	}
	o.EventListener = &listener
	halt := halter{cmp.Or(o.FS, vfs.Default), cmp.Or[pebble.Logger](o.Logger, pebble.DefaultLogger), new(atomic.Bool)}
	o.FS, o.Logger = halt, halt
	if listener.DataCorruption == nil {
		listener.DataCorruption = func(i pebble.DataCorruptionInfo) { halt.Fatalf("%s is damaged: %v", i.Path, Plain(i.Details)) }
	}
	go func() {
		db, err := pebble.Open(dir, o)
		opened <- result{db, err}
	}()
	select {
	case r := <-opened:
		return r.db, false, r.err
	case err = <-failed:
	}
	abandoned.Store(true)
	go func() {
		if r := <-opened; r.err == nil {
			r.db.Close()
		}
		release()
	}()
	return nil, true, err
}

// Plain returns an error of a database without what it carries for those who look into the database itself, on lines of its own.
func Plain(err error) error {
	if err == nil || !pebble.IsCorruptionError(err) {
		return err
	}
	return plainError{err}
}

// A plainError is the first line of an error.
type plainError struct{ error }

// Error implements error.
func (e plainError) Error() string {
	first, _, _ := strings.Cut(e.error.Error(), "\n")
	return first
}

// Unwrap returns all of it.
func (e plainError) Unwrap() error { return e.error }
