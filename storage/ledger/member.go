package ledger

// A member is a key of a line, and where its value stands in a record.
type member struct {
	key   string
	field func(r *Record) any // a pointer to it
}

// members are those of a Record, in the order of a line.
var members = []member{
	{"seq", func(r *Record) any { return &r.Seq }},
	{"prev", func(r *Record) any { return &r.Prev }},
	{"type", func(r *Record) any { return &r.Type }},
	{"time", func(r *Record) any { return &r.Time }},
	{"format", func(r *Record) any { return &r.Format }},
	{"boot", func(r *Record) any { return &r.Boot }},
	{"boot_ms", func(r *Record) any { return &r.BootAt }},
	{"event", func(r *Record) any { return &r.Event }},
	{"why", func(r *Record) any { return &r.Why }},
	{"version", func(r *Record) any { return &r.Version }},
	{"product", func(r *Record) any { return &r.Product }},
	{"user_agent", func(r *Record) any { return &r.UserAgent }},
	{"key", func(r *Record) any { return &r.Key }},
	{"policy", func(r *Record) any { return &r.Policy }},
	{"torn_bytes", func(r *Record) any { return &r.Torn }},
	{"repaired", func(r *Record) any { return &r.Repaired }},
	{"connections", func(r *Record) any { return &r.Connections }},
	{"set_ms", func(r *Record) any { return &r.Set }},
	{"url", func(r *Record) any { return &r.URL }},
	{"site", func(r *Record) any { return &r.Site }},
	{"via", func(r *Record) any { return &r.Via }},
	{"depth", func(r *Record) any { return &r.Depth }},
	{"purpose", func(r *Record) any { return &r.Purpose }},
	{"attempt", func(r *Record) any { return &r.Attempt }},
	{"method", func(r *Record) any { return &r.Method }},
	{"proto", func(r *Record) any { return &r.Proto }},
	{"address", func(r *Record) any { return &r.Address }},
	{"from", func(r *Record) any { return &r.From }},
	{"proxy", func(r *Record) any { return &r.Proxy }},
	{"start", func(r *Record) any { return &r.Start }},
	{"first_byte", func(r *Record) any { return &r.FirstByte }},
	{"end", func(r *Record) any { return &r.End }},
	{"clock_ms", func(r *Record) any { return &r.Clock }},
	{"took_ms", func(r *Record) any { return &r.Took }},
	{"status", func(r *Record) any { return &r.Status }},
	{"bytes", func(r *Record) any { return &r.Bytes }},
	{"wire_bytes", func(r *Record) any { return &r.WireBytes }},
	{"media_type", func(r *Record) any { return &r.MediaType }},
	{"location", func(r *Record) any { return &r.Location }},
	{"etag", func(r *Record) any { return &r.ETag }},
	{"retry_after", func(r *Record) any { return &r.RetryAfter }},
	{"truncated", func(r *Record) any { return &r.Truncated }},
	{"error", func(r *Record) any { return &r.Error }},
	{"error_text", func(r *Record) any { return &r.ErrorText }},
	{"owed_ms", func(r *Record) any { return &r.Owed }},
	{"kept_ms", func(r *Record) any { return &r.Kept }},
	{"gap_ms", func(r *Record) any { return &r.Gap }},
	{"gap_why", func(r *Record) any { return &r.GapWhy }},
	{"tenure", func(r *Record) any { return &r.Tenure }},
	{"robots_digest", func(r *Record) any { return &r.RobotsDigest }},
	{"robots_line", func(r *Record) any { return &r.RobotsLine }},
	{"robots_rule", func(r *Record) any { return &r.RobotsRule }},
	{"robots_reason", func(r *Record) any { return &r.RobotsReason }},
	{"origin", func(r *Record) any { return &r.Origin }},
	{"expires", func(r *Record) any { return &r.Expires }},
	{"gate", func(r *Record) any { return &r.Gate }},
	{"reason", func(r *Record) any { return &r.Reason }},
	{"rule", func(r *Record) any { return &r.Rule }},
	{"line", func(r *Record) any { return &r.Line }},
	{"digest", func(r *Record) any { return &r.Digest }},
	{"outcome", func(r *Record) any { return &r.Outcome }},
	{"not_before", func(r *Record) any { return &r.NotBefore }},
	{"file", func(r *Record) any { return &r.File }},
	{"same_as", func(r *Record) any { return &r.SameAs }},
	{"listing_digest", func(r *Record) any { return &r.Listing }},
	{"links_found", func(r *Record) any { return &r.LinksFound }},
	{"links_new", func(r *Record) any { return &r.LinksNew }},
	{"links_onward", func(r *Record) any { return &r.LinksOnward }},
}

// alwaysThere counts the members that every record has, the first ones: seq, prev, type and time.
const alwaysThere = 4

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
