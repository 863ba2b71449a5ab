package ledger

import "time"

// textField returns the field of a member that is a string, nil for any other key.
func (r *Record) textField(key string) *string {
	switch key {
	case "prev":
		return &r.Prev
	case "type":
		return (*string)(&r.Type)
	case "event":
		return &r.Event
	case "why":
		return &r.Why
	case "version":
		return &r.Version
	case "product":
		return &r.Product
	case "user_agent":
		return &r.UserAgent
	case "boot":
		return &r.Boot
	case "key":
		return &r.Key
	case "url":
		return &r.URL
	case "site":
		return &r.Site
	case "via":
		return &r.Via
	case "purpose":
		return &r.Purpose
	case "method":
		return &r.Method
	case "proto":
		return &r.Proto
	case "address":
		return &r.Address
	case "from":
		return &r.From
	case "proxy":
		return &r.Proxy
	case "media_type":
		return &r.MediaType
	case "location":
		return &r.Location
	case "etag":
		return &r.ETag
	case "retry_after":
		return &r.RetryAfter
	case "truncated":
		return &r.Truncated
	case "error":
		return &r.Error
	case "error_text":
		return &r.ErrorText
	case "gap_why":
		return &r.GapWhy
	case "tenure":
		return &r.Tenure
	case "robots_digest":
		return &r.RobotsDigest
	case "robots_rule":
		return &r.RobotsRule
	case "robots_reason":
		return &r.RobotsReason
	case "origin":
		return &r.Origin
	case "gate":
		return &r.Gate
	case "reason":
		return &r.Reason
	case "rule":
		return &r.Rule
	case "digest":
		return &r.Digest
	case "outcome":
		return &r.Outcome
	case "file":
		return &r.File
	case "same_as":
		return &r.SameAs
	case "listing_digest":
		return &r.Listing
	}
	return nil
}

// timeField is textField for times.
func (r *Record) timeField(key string) *time.Time {
	switch key {
	case "time":
		return &r.Time
	case "start":
		return &r.Start
	case "first_byte":
		return &r.FirstByte
	case "end":
		return &r.End
	case "expires":
		return &r.Expires
	case "not_before":
		return &r.NotBefore
	}
	return nil
}

// millisField is textField for durations.
func (r *Record) millisField(key string) *Millis {
	switch key {
	case "boot_ms":
		return &r.BootAt
	case "set_ms":
		return &r.Set
	case "clock_ms":
		return &r.Clock
	case "took_ms":
		return &r.Took
	case "owed_ms":
		return &r.Owed
	case "kept_ms":
		return &r.Kept
	case "gap_ms":
		return &r.Gap
	}
	return nil
}

// setInt sets the field of a member that is a whole number, if there is one that was not set before and the number fits.
func (r *Record) setInt(key string, n int64) bool {
	if key == "seq" {
		isNew := r.Seq == 0
		r.Seq = uint64(n)
		return isNew && n >= 0
	}
	if field := r.int64Field(key); field != nil {
		isNew := *field == 0
		*field = n
		return isNew
	}
	field := r.intField(key)
	if field == nil || *field != 0 || int64(int(n)) != n {
		return false
	}
	*field = int(n)
	return true
}

func (r *Record) int64Field(key string) *int64 {
	switch key {
	case "bytes":
		return &r.Bytes
	case "wire_bytes":
		return &r.WireBytes
	case "torn_bytes":
		return &r.Torn
	}
	return nil
}

func (r *Record) intField(key string) *int {
	switch key {
	case "format":
		return &r.Format
	case "repaired":
		return &r.Repaired
	case "connections":
		return &r.Connections
	case "depth":
		return &r.Depth
	case "attempt":
		return &r.Attempt
	case "status":
		return &r.Status
	case "robots_line":
		return &r.RobotsLine
	case "line":
		return &r.Line
	case "links_found":
		return &r.LinksFound
	case "links_new":
		return &r.LinksNew
	case "links_onward":
		return &r.LinksOnward
	}
	return nil
}
