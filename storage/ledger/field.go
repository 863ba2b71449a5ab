package ledger

// field returns a pointer to the field of a member, nil for any other key.
func (r *Record) field(key string) any {
	switch key {
	case "seq":
		return &r.Seq
	case "prev":
		return &r.Prev
	case "type":
		return &r.Type
	case "time":
		return &r.Time
	case "format":
		return &r.Format
	case "boot":
		return &r.Boot
	case "boot_ms":
		return &r.BootAt
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
	case "key":
		return &r.Key
	case "policy":
		return &r.Policy
	case "torn_bytes":
		return &r.Torn
	case "repaired":
		return &r.Repaired
	case "connections":
		return &r.Connections
	case "set_ms":
		return &r.Set
	case "url":
		return &r.URL
	case "site":
		return &r.Site
	case "via":
		return &r.Via
	case "depth":
		return &r.Depth
	case "purpose":
		return &r.Purpose
	case "attempt":
		return &r.Attempt
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
	case "start":
		return &r.Start
	case "first_byte":
		return &r.FirstByte
	case "end":
		return &r.End
	case "clock_ms":
		return &r.Clock
	case "took_ms":
		return &r.Took
	case "status":
		return &r.Status
	case "bytes":
		return &r.Bytes
	case "wire_bytes":
		return &r.WireBytes
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
	case "owed_ms":
		return &r.Owed
	case "kept_ms":
		return &r.Kept
	case "gap_ms":
		return &r.Gap
	case "gap_why":
		return &r.GapWhy
	case "tenure":
		return &r.Tenure
	case "robots_digest":
		return &r.RobotsDigest
	case "robots_line":
		return &r.RobotsLine
	case "robots_rule":
		return &r.RobotsRule
	case "robots_reason":
		return &r.RobotsReason
	case "origin":
		return &r.Origin
	case "expires":
		return &r.Expires
	case "gate":
		return &r.Gate
	case "reason":
		return &r.Reason
	case "rule":
		return &r.Rule
	case "line":
		return &r.Line
	case "digest":
		return &r.Digest
	case "outcome":
		return &r.Outcome
	case "not_before":
		return &r.NotBefore
	case "file":
		return &r.File
	case "same_as":
		return &r.SameAs
	case "listing_digest":
		return &r.Listing
	case "links_found":
		return &r.LinksFound
	case "links_new":
		return &r.LinksNew
	case "links_onward":
		return &r.LinksOnward
	}
	return nil
}

// textOf returns a field that is a text, nil for any other.
func textOf(field any) *string {
	switch f := field.(type) {
	case *string:
		return f
	case *Type:
		return (*string)(f)
	}
	return nil
}

// TakenCookies is in the Why of an EventOverride: the cookies that Site sets are sent back to it, so that a URL that answers by a
// redirect may be asked for once more in a run.
const TakenCookies = "the cookies that it sets"
