package signature

import (
	"strings"
	"time"

	"github.com/cybermapper/cybermapper/robots/internal/structured"
)

// A Request is what a log has of a request.
type Request struct {
	Time      time.Time
	Method    string
	Authority string              // host, and port if there is one; empty when it is not known
	Target    string              // path and query; empty when it is not known
	Header    map[string][]string // the header fields that are known, by name in lower case

	AuthorityAsSent bool // Authority is what was sent, for sure; if not, a signature that covers it and is wrong proves nothing
	TargetAsSent    bool // and so for Target
}

// field returns the value of a header field (RFC 9421 section 2.1).
func (r *Request) field(name string) (string, bool) {
	values, ok := r.Header[name]
	var list []string
	for _, v := range values {
		list = append(list, strings.Trim(v, " \t"))
	}
	joined := strings.Join(list, ", ")
	return joined, ok && len(values) > 0 && !strings.ContainsAny(joined, "\r\n")
}

// Agent returns where a request says that the keys of its signer are: the first string in its Signature-Agent, which is a list of
// members or, in older drafts, one string. It is a claim, and empty when there is none.
func (r *Request) Agent() string {
	value, _ := r.field("signature-agent")
	members, _ := structured.ParseDictionary(value)
	for _, m := range members {
		if m.Kind == structured.String {
			return m.Value
		}
	}
	agent, _ := structured.ParseString(value)
	return agent
}

// base returns the signature base (RFC 9421 section 2.5) without its last line, or why there is none. scheme is http or https,
// which logs do not say.
func (r *Request) base(components []structured.Item, scheme string) (string, Reason) {
	var b strings.Builder
	seen := map[string]bool{}
	for _, c := range components {
		id := c.String()
		if c.Kind != structured.String || c.IsList || seen[id] {
			return "", Malformed
		}
		seen[id] = true
		value, why := r.component(c, scheme)
		if why != "" {
			return "", why
		}
		b.WriteString(id + ": " + value + "\n")
	}
	return b.String(), ""
}

// component returns the value of a component.
func (r *Request) component(c structured.Item, scheme string) (string, Reason) {
	if !strings.HasPrefix(c.Value, "@") {
		return r.fieldComponent(c)
	}
	if len(c.Params) > 0 {
		return "", Unsupported
	}
	authority := strings.TrimSuffix(strings.ToLower(r.Authority), map[string]string{"https": ":443", "http": ":80"}[scheme])
	path, query, _ := strings.Cut(r.Target, "?")
	value, known := "", false
	switch c.Value {
	case "@method":
		value, known = r.Method, r.Method != ""
	case "@authority":
		value, known = authority, authority != ""
	case "@scheme":
		value, known = scheme, true
	case "@target-uri":
		value, known = scheme+"://"+authority+r.Target, authority != "" && r.Target != ""
	case "@request-target":
		value, known = r.Target, r.Target != ""
	case "@path":
		value, known = path, r.Target != ""
	case "@query":
		value, known = "?"+query, r.Target != ""
	default:
		return "", Unsupported
	}
	if !known {
		return "", NotLogged
	}
	return value, ""
}

// fieldComponent returns the value of a header field, or of a member of it (RFC 9421 section 2.1.2).
func (r *Request) fieldComponent(c structured.Item) (string, Reason) {
	value, ok := r.field(c.Value)
	if !ok {
		return "", NotLogged
	}
	if len(c.Params) == 0 {
		return value, ""
	}
	key := c.Params[0]
	if len(c.Params) > 1 || key.Name != "key" || key.Kind != structured.String {
		return "", Unsupported
	}
	members, err := structured.ParseDictionary(value)
	if err != nil {
		return "", Malformed
	}
	m, ok := structured.Find(members, key.Value)
	if !ok {
		return "", Malformed
	}
	return m.String(), ""
}
