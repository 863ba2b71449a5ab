package block

import (
	"cmp"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// An Order says who is kept out, and who is to be slower.
type Order struct {
	RefusedNames     []string       // product tokens that get 403
	RefusedNetworks  []netip.Prefix // that get 403
	LimitedNames     []string       // that get 429 when they are too fast, each by itself
	LimitedNetworks  []netip.Prefix // that get 429 when they are too fast, each by itself
	LimitedPerMinute int            // requests; default 30
	Groups           []string       // of robots.txt, for those of them that read it
	Shared           bool           // an address in the log may be that of a proxy, or of anybody: none is banned for a name
	Proxied          bool           // a server sees the addresses of proxies, unless it believes what they say of clients
}

// A Block is what to paste, and where.
type Block struct {
	Server string `json:"server"`
	Where  string `json:"where"` // it belongs, in a few words
	Text   string `json:"text"`
}

// isPlain reports whether a name can stand in a setting as it is.
var isPlain = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{2,63}$`).MatchString

// shared are words in lower case that stand in the User-Agents of many.
const shared = " mozilla compatible user-agent agent bot bots robot robots crawler crawl spider scraper fetcher client browser " +
	"http https www web com the and for google bing yahoo yandex baidu apple windows linux android iphone version search " +
	"mobile phone tablet safari chrome firefox edge opera gecko khtml webkit applewebkit trident msie macintosh x11 win64 x64 "

// IsName reports whether somebody can be told from others by a name, and the name can stand in settings and in robots.txt.
func IsName(name string) bool {
	return isPlain(name) && !strings.Contains(shared, " "+strings.ToLower(name)+" ")
}

// named returns the names that can stand in settings.
func named(names []string) (list []string) {
	for _, n := range names {
		if IsName(n) {
			list = append(list, n)
		}
	}
	return list
}

// IsEmpty reports whether nobody is meant.
func (o Order) IsEmpty() bool {
	return len(o.RefusedNames)+len(o.RefusedNetworks)+len(o.LimitedNames)+len(o.LimitedNetworks) == 0
}

// All returns the order for each server; nothing when nobody is meant.
func (o Order) All() []Block {
	o.RefusedNames, o.LimitedNames = named(o.RefusedNames), named(o.LimitedNames)
	o.LimitedPerMinute = cmp.Or(max(o.LimitedPerMinute, 0), 30)
	var list []Block
	for _, b := range []Block{o.robotsTxt(), o.nginx(), o.apache(), o.caddy(), o.haproxy(), o.fail2ban(), o.nftables()} {
		if b.Text != "" {
			list = append(list, b)
		}
	}
	return list
}

// where says where something belongs, and by which setting the server knows the addresses behind proxies, if there are some in it.
func (o Order) where(place, setting string, networks ...[]netip.Prefix) string {
	if !o.Proxied || len(slices.Concat(networks...)) == 0 {
		return place
	}
	return place + "; the addresses are those behind your proxy, which it must believe (" + setting + ")"
}

// alternatives returns a regular expression for any of the names.
func alternatives(names []string) string {
	var quoted []string
	for _, n := range names {
		quoted = append(quoted, regexp.QuoteMeta(n))
	}
	return strings.Join(quoted, "|")
}

// each writes a line for each element.
func each[T any](list []T, line func(T) string) string {
	var b strings.Builder
	for _, v := range list {
		b.WriteString(line(v))
	}
	return b.String()
}

// robotsTxt begins with an empty line, so that the file may end without one.
func (o Order) robotsTxt() Block {
	if len(o.Groups) == 0 {
		return Block{}
	}
	return Block{"robots.txt", "at its end, for those who read it", "\n" + strings.Join(o.Groups, "\n")}
}

// nginx goes by the URI that was asked for: a site may have another document answer for it.
func (o Order) nginx() Block {
	if o.IsEmpty() {
		return Block{}
	}
	var b strings.Builder
	name := "0"
	if len(o.RefusedNames) > 0 {
		name = "$refused_name"
		fmt.Fprintf(&b, "map $http_user_agent $refused_name {\n    default 0;\n%s}\n",
			each(o.RefusedNames, func(n string) string { return fmt.Sprintf("    \"~*%s\" 1;\n", regexp.QuoteMeta(n)) }))
	}
	fmt.Fprintf(&b, "geo $refused_network {\n    default 0;\n%s}\n",
		each(o.RefusedNetworks, func(p netip.Prefix) string { return fmt.Sprintf("    %s 1;\n", p) }))
	fmt.Fprintf(&b, "map \"%s$refused_network$request_uri\" $refused { default 0; \"~^../robots\\.txt(?:\\?|$)\" 0; "+
		"\"~^(?:1|01)\" 1; }\n", name)
	limits := len(o.LimitedNames)+len(o.LimitedNetworks) > 0
	if limits {
		fmt.Fprintf(&b, "map $http_user_agent $limited_name {\n    default \"\";\n%s}\n",
			each(o.LimitedNames, func(n string) string { return fmt.Sprintf("    \"~*%s\" \"%s\";\n", regexp.QuoteMeta(n), n) }))
		fmt.Fprintf(&b, "geo $limited_network {\n    default \"\";\n%s}\n",
			each(o.LimitedNetworks, func(p netip.Prefix) string { return fmt.Sprintf("    %s \"%s\";\n", p, p) }))
		b.WriteString("map $request_uri $limited { default $limited_name$limited_network; \"~^/robots\\.txt(?:\\?|$)\" \"\"; }\n")
		fmt.Fprintf(&b, "limit_req_zone $limited zone=limited:1m rate=%dr/m;\n", o.LimitedPerMinute)
	}
	b.WriteString("# in server {}\nif ($refused) { return 403; }\n")
	if limits {
		b.WriteString("limit_req zone=limited burst=5 nodelay;\nlimit_req_status 429;\n")
	}
	where := "in http {}, and what follows the comment in server {}"
	return Block{"nginx", o.where(where, "set_real_ip_from", o.RefusedNetworks, o.LimitedNetworks), b.String()}
}

// apache goes by the line that was sent: .htaccess may have another document answer for /robots.txt, as that of WordPress does, and
// Apache looks at that as at a request of its own.
func (o Order) apache() Block {
	if len(o.RefusedNames)+len(o.RefusedNetworks) == 0 {
		return Block{}
	}
	var b strings.Builder
	// In one expression for all, many names would be more than PCRE takes.
	b.WriteString(each(o.RefusedNames, func(n string) string {
		return fmt.Sprintf("SetEnvIfNoCase User-Agent \"%s\" refused_name\n", regexp.QuoteMeta(n))
	}))
	// What the site closes already stays closed: AuthMerging adds to it, where a section by itself would take its place.
	b.WriteString("<Location \"/\">\n    AuthMerging And\n    <RequireAny>\n        Require expr %{THE_REQUEST} =~ " +
		"m#^\\S+ (?:https?://[^/? ]+)?/robots\\.txt[? ]#\n        <RequireAll>\n            Require all granted\n")
	if len(o.RefusedNames) > 0 {
		b.WriteString("            Require not env refused_name\n")
	}
	b.WriteString(each(o.RefusedNetworks, func(p netip.Prefix) string { return fmt.Sprintf("            Require not ip %s\n", p) }))
	b.WriteString("        </RequireAll>\n    </RequireAny>\n</Location>\n")
	where := o.where("in the virtual host, with mod_setenvif", "RemoteIPInternalProxy", o.RefusedNetworks)
	return Block{"Apache", where, b.String()}
}

// caddy writes what is to stand first where requests are answered: Caddy sorts handle, handle_path and route before respond. It
// sorts rewrite and try_files there, too, so that the path is that which was asked for.
func (o Order) caddy() Block {
	const notRobotsTxt = "not vars {http.request.orig_uri.path} /robots.txt"
	var b strings.Builder
	if len(o.RefusedNames) > 0 {
		fmt.Fprintf(&b, "@refused_name {\n    header_regexp User-Agent (?i)(%s)\n    %s\n}\nrespond @refused_name 403\n",
			alternatives(o.RefusedNames), notRobotsTxt)
	}
	if len(o.RefusedNetworks) > 0 {
		matcher := "remote_ip"
		if o.Proxied {
			matcher = "client_ip"
		}
		fmt.Fprintf(&b, "@refused_network {\n    %s%s\n    %s\n}\nrespond @refused_network 403\n", matcher,
			each(o.RefusedNetworks, func(p netip.Prefix) string { return " " + p.String() }), notRobotsTxt)
	}
	where := "in the site; if it has handle, handle_path or route, first in each of those instead"
	return Block{"Caddy", o.where(where, "trusted_proxies", o.RefusedNetworks), b.String()}
}

// haproxy writes a line for each name and network: HAProxy takes 64 words in one, and any of several with the same name will do.
func (o Order) haproxy() Block {
	if o.IsEmpty() {
		return Block{}
	}
	var b strings.Builder
	b.WriteString("acl robots_txt path /robots.txt\n" + each(o.RefusedNames, func(n string) string {
		return fmt.Sprintf("acl refused_robot req.hdr(user-agent) -i -m sub %s\n", n)
	}))
	b.WriteString(each(o.RefusedNetworks, func(p netip.Prefix) string { return fmt.Sprintf("acl refused_robot src %s\n", p) }))
	if len(o.RefusedNames)+len(o.RefusedNetworks) > 0 {
		b.WriteString("http-request deny deny_status 403 if refused_robot !robots_txt\n")
	}
	if len(o.LimitedNames)+len(o.LimitedNetworks) > 0 {
		b.WriteString("stick-table type string len 64 size 10k expire 10m store http_req_rate(1m)\n")
		limit := func(key, condition string) string {
			return fmt.Sprintf("http-request track-sc0 str(%s) if !robots_txt { %s }\n", key, condition)
		}
		b.WriteString(each(o.LimitedNames, func(n string) string { return limit(n, "req.hdr(user-agent) -i -m sub "+n) }))
		b.WriteString(each(o.LimitedNetworks, func(p netip.Prefix) string { return limit(p.String(), "src "+p.String()) }))
		fmt.Fprintf(&b, "http-request deny deny_status 429 if { sc0_http_req_rate gt %d }\n", o.LimitedPerMinute)
	}
	return Block{"HAProxy", o.where("in the frontend", "http-request set-src", o.RefusedNetworks, o.LimitedNetworks), b.String()}
}

// fail2ban writes a filter for the combined format, in which a quote that a client has sent is escaped. Its lines begin with an
// address, and not with two: behind a host that the client names, fail2ban would ban whoever has that name or address. The time is
// that in front of the request, not one that the client has sent as its user name, which may be long ago. Some systems look into
// the journal and no file unless a jail has a backend of its own.
func (o Order) fail2ban() Block {
	if len(o.RefusedNames) == 0 || o.Shared || o.Proxied {
		return Block{}
	}
	where := "the first part in filter.d/refused-robots.conf, the second in jail.d/refused-robots.conf, with your log"
	return Block{"fail2ban", where, fmt.Sprintf(`[Definition]
failregex = ^<ADDR> (?![\d.]+ |[\da-f]*:)%[1]s"%[1]s" \d{3} \S+ "%[1]s" "%[1]s(?i:%[2]s)
ignoreregex = ^\S+ %[1]s"[A-Z]+ (?:https?://[^/ "]*)?/robots\.txt[ ?]
datepattern = \[({DATE})\] "

[refused-robots]
enabled = true
port = http,https
filter = refused-robots
backend = auto
logpath = /var/log/nginx/access.log
maxretry = 1
findtime = 1d
bantime = 1d
`, `(?:[^"\\]|\\.)*`, alternatives(o.RefusedNames))}
}

// nftables drops UDP, too, over which HTTP/3 comes.
func (o Order) nftables() Block {
	if len(o.RefusedNetworks) == 0 || o.Proxied {
		return Block{}
	}
	var four, six []string
	for _, p := range o.RefusedNetworks {
		if p.Addr().Is4() {
			four = append(four, p.String())
		} else {
			six = append(six, p.String())
		}
	}
	var b strings.Builder
	b.WriteString("table inet refused_robots {\n")
	set := func(name, kind string, list []string) {
		if len(list) > 0 {
			fmt.Fprintf(&b, "    set %s {\n        type %s\n        flags interval\n        auto-merge\n        elements = { %s "+
				"}\n    }\n", name, kind, strings.Join(list, ", "))
		}
	}
	set("four", "ipv4_addr", four)
	set("six", "ipv6_addr", six)
	b.WriteString("    chain input {\n        type filter hook input priority -10; policy accept;\n")
	if len(four) > 0 {
		b.WriteString("        ip saddr @four meta l4proto { tcp, udp } th dport { 80, 443 } drop\n")
	}
	if len(six) > 0 {
		b.WriteString("        ip6 saddr @six meta l4proto { tcp, udp } th dport { 80, 443 } drop\n")
	}
	b.WriteString("    }\n}\n")
	return Block{"nftables", "in a file of /etc/nftables.d, or nft -f", b.String()}
}
