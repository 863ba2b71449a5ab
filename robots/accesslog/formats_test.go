package accesslog_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/cybermapper/cybermapper/robots/accesslog"
)

// A sample is lines of one kind of log, the last of which is looked at.
type sample struct {
	name, format, in            string
	client, host, target, agent string
	method, referrer            string
	status                      int
	bytes                       int64
	at                          time.Time
	taken                       time.Duration
}

// samples are made from the fields that the makers of the software document.
var samples = []sample{
	{
		name: "LTSV of Apache", format: "ltsv",
		in: "host:192.0.2.7\tident:-\tuser:frank\ttime:[01/Mar/2026:12:00:00 +0000]\treq:GET /a?b HTTP/1.1\tstatus:200\tsize:2326\t" +
			`referer:https://e.example/` + "\t" + `ua:GPTBot/1.2 \"x\"\x41\t` + "\tvhost:E.example\treqtime_microsec:250000",
		client: "192.0.2.7", target: "/a?b", agent: "GPTBot/1.2 \"x\"A\t", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326,
		at: noon, taken: time.Second / 4, host: "e.example",
	},
	{
		name: "LTSV of nginx", format: "ltsv",
		in: "time:2026-03-01T13:00:00+01:00\thost:2001:db8::7\tforwardedfor:-\tmethod:GET\turi:/a?b\tstatus:200\tsize:2326\t" +
			"referer:-\tua:GPTBot/1.2\treqtime:0.250\tapptime:-",
		client: "2001:db8::7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", status: 200, bytes: 2326, at: noon, taken: time.Second / 4,
	},
	{
		name: "Caddy, time_format wall_milli", format: "json",
		in: `{"ts":"2026/03/01 12:00:00.250","msg":"handled request","request":{"remote_ip":"192.0.2.7","client_ip":"192.0.2.7",` +
			`"method":"GET","host":"e.example","uri":"/a?b","headers":{"User-Agent":["GPTBot/1.2"]}},"duration":0.25,"size":2326,"status":200}`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", status: 200, bytes: 2326,
		at: noon.Add(time.Second / 4), taken: time.Second / 4,
	},
	{
		name: "nginx, times after the agent without a blank", format: "common",
		in: `192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /a?b HTTP/1.1" 200 2326 "https://e.example/" "GPTBot/1.2"` +
			`rt=0.200 uct="0.000" uht="0.200" urt="0.200"`,
		client: "192.0.2.7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon,
		taken: 200 * time.Millisecond,
	},
	{
		name: "nginx, $time_iso8601 in brackets", format: "common",
		in:     `192.0.2.7 - - [2026-03-01T17:30:00+05:30] "GET /a?b HTTP/1.1" 200 2326 "https://e.example/" "GPTBot/1.2"`,
		client: "192.0.2.7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "nginx, $msec in brackets", format: "common",
		in:     `192.0.2.7 - - [1772366400.250] "GET /a?b HTTP/1.1" 200 2326 "https://e.example/" "GPTBot/1.2"`,
		client: "192.0.2.7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon.Add(time.Second / 4), taken: -1,
	},
	{
		name: "Apache, %{%F %T}t in brackets", format: "common",
		in:     `192.0.2.7 - - [2026-03-01 12:00:00] "GET /a?b HTTP/1.1" 200 2326 "https://e.example/" "GPTBot/1.2"`,
		client: "192.0.2.7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "Apache, %{%FT%T%z}t in brackets", format: "common",
		in:     `192.0.2.7 - - [2026-03-01T13:00:00+0100] "GET /a?b HTTP/1.1" 200 2326 "https://e.example/" "GPTBot/1.2"`,
		client: "192.0.2.7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "morgan and connect.logger, their default", format: "common",
		in:     `192.0.2.7 - - [Sun, 01 Mar 2026 12:00:00 GMT] "GET /a?b HTTP/1.1" 200 2326 "https://e.example/" "GPTBot/1.2"`,
		client: "192.0.2.7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "morgan, the client went away before the answer", format: "common",
		in:     `192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /a?b HTTP/1.1" - - "https://e.example/" "GPTBot/1.2"`,
		client: "192.0.2.7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", at: noon, taken: -1,
	},
	{
		name: "Traefik, the client went away before the answer", format: "common",
		in:     `192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /a?b HTTP/1.1" - - "-" "GPTBot/1.2" 1 "-" "-" 0ms`,
		client: "192.0.2.7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", at: noon,
	},
	{
		name: "Apache, vhost_combined of a server without a name", format: "vhost",
		in:     `fe80::2016:53ff:fe5f:6849:80 192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /a?b HTTP/1.1" 200 2326 "-" "GPTBot/1.2"`,
		client: "192.0.2.7", host: "fe80::2016:53ff:fe5f:6849", target: "/a?b", agent: "GPTBot/1.2", method: "GET", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "CLF, client with its port", format: "common",
		in:     `192.0.2.7:51234 - - [01/Mar/2026:12:00:00 +0000] "GET /a?b HTTP/1.1" 200 2326 "https://e.example/" "GPTBot/1.2"`,
		client: "192.0.2.7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "CLF, IPv6 client with its port", format: "common",
		in:     `[2001:db8::7]:51234 - - [01/Mar/2026:12:00:00 +0000] "GET /a?b HTTP/1.1" 200 2326 "https://e.example/" "GPTBot/1.2"`,
		client: "2001:db8::7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "Hypercorn, its default", format: "auto",
		in: `[2026-03-01 12:00:00 +0000] [17] [INFO] 192.0.2.7:51234 - - [01/Mar/2026:12:00:00 +0000] "GET /a 1.1" 200 2326 ` +
			`"https://e.example/" "GPTBot/1.2"`,
		client: "192.0.2.7", target: "/a", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "Hypercorn, HTTP/2 and the query", format: "auto",
		in: `[2026-03-01 13:00:00 +0100] [17] [INFO] 2001:db8::7 - - [01/Mar/2026:13:00:00 +0100] "GET /a?b 2" 200 2326 ` +
			`"https://e.example/" "GPTBot/1.2"`,
		client: "2001:db8::7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "WEBrick, the name of a zone", format: "auto",
		in:     `192.0.2.7 - - [01/Mar/2026:12:00:00 UTC] "GET /a?b HTTP/1.1" 200 2326 "https://e.example/" "GPTBot/1.2"`,
		client: "192.0.2.7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "WEBrick, the name of another zone", format: "auto",
		in:     `192.0.2.7 - - [01/Mar/2026:04:00:00 PST] "GET /a?b HTTP/1.1" 200 2326 "https://e.example/" "GPTBot/1.2"`,
		client: "192.0.2.7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "lighttpd, a connection of HTTP/2 behind its requests", format: "auto",
		in: `192.0.2.7 e.example - [01/Mar/2026:12:00:00 +0000] "GET /a?b HTTP/2.0" 200 2326 "https://e.example/" "GPTBot/1.2"` + "\n" +
			`192.0.2.7 - - [01/Mar/2026:12:00:05 +0000] "PRI * HTTP/2.0" 100 7477 "-" "-"`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326,
		at: noon, taken: -1,
	},
	{
		name: "Squid", format: "squid",
		in:     `1772366400.250    180 192.0.2.7 TCP_MISS/200 2326 GET http://E.example/a?b - HIER_DIRECT/192.0.2.9 text/html`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", method: "GET", status: 200, bytes: 2326, at: noon.Add(time.Second / 4),
		taken: 180 * time.Millisecond,
	},
	{
		name: "Squid, IPv6, no answer", format: "squid",
		in:     `1772366400.000  60000 2001:db8::7 TCP_MISS_ABORTED/000 0 POST https://e.example:8443/ somebody HIER_NONE/- -`,
		client: "2001:db8::7", host: "e.example:8443", target: "/", method: "POST", at: noon, taken: time.Minute,
	},
	{
		name: "Squid, no HTTP, and what another cache asked", format: "squid",
		in: `1772366400.000      0 192.0.2.7 NONE_NONE/400 3800 - error:invalid-request - HIER_NONE/- text/html` + "\n" +
			`1772366401.000      0 192.0.2.8 UDP_MISS/000 64 ICP_QUERY http://e.example/ - HIER_NONE/- -`,
		client: "192.0.2.7", status: 400, bytes: 3800, at: noon,
	},
	{
		name: "Squid, combined, client went away", format: "auto",
		in: `192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /a? HTTP/1.1" 0 0 "-" "GPTBot/1.2" ` +
			`TCP_MISS_ABORTED:HIER_NONE`,
		client: "192.0.2.7", target: "/a?", agent: "GPTBot/1.2", method: "GET", at: noon, taken: -1,
	},
	{
		name: "Apache Traffic Server", format: "squid",
		in:     `1772366400.000 1 192.0.2.7 TCP_MEM_HIT/304 254 GET http://e.example:8080/a/ - NONE/- text/html`,
		client: "192.0.2.7", host: "e.example:8080", target: "/a/", method: "GET", status: 304, bytes: 254, at: noon, taken: time.Millisecond,
	},
	{
		name: "Apache Traffic Server, squid_seconds_only_timestamp", format: "squid",
		in:     `1772366400 4 192.0.2.7 TCP_MISS/200 606 GET http://e.example/a?b - DIRECT/e.example text/html`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", method: "GET", status: 200, bytes: 606, at: noon, taken: 4 * time.Millisecond,
	},
	{
		name: "h2o, JSON with null for what was not sent", format: "json",
		in: `{"time":"2026-03-01T12:00:00+0000","remote_addr":"192.0.2.7","client_ip":null,"method":"GET","path":"/a","query":"?b",` +
			`"host":null,"status":200,"bytes":2326,"referer":null,"user_agent":"GPTBot/1.2"}`,
		client: "192.0.2.7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "Caddy, an error and its request", format: "json",
		in: `{"level":"info","ts":1772366400.25,"logger":"http.log.access.log0","msg":"handled request","request":{"remote_ip":"192.0.2.7",` +
			`"method":"GET","host":"e.example","uri":"/a?b","headers":{"User-Agent":["GPTBot/1.2"]}},"duration":0.25,"size":0,"status":502}` + "\n" +
			`{"level":"error","ts":1772366400.25,"logger":"http.log.error","msg":"dial tcp 127.0.0.1:1: connection refused","request":` +
			`{"remote_ip":"192.0.2.7","method":"GET","host":"e.example","uri":"/a?b","headers":{"User-Agent":["GPTBot/1.2"]}},` +
			`"duration":0.25,"status":502,"err_id":"wwxhwayv8","err_trace":"reverseproxy.statusError (reverseproxy.go:1272)"}`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", status: 502, at: noon.Add(time.Second / 4),
		taken: time.Second / 4,
	},
	{
		name: "Twisted, client in quotes", format: "auto",
		in:     `"192.0.2.7" - - [01/Mar/2026:12:00:00 +0000] "GET /a?b HTTP/1.1" 200 2326 "https://e.example/" "GPTBot/1.2"`,
		client: "192.0.2.7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "Caddy, console", format: "auto",
		in: "2026/03/01 12:00:00.250\t\x1b[34mINFO\x1b[0m\thttp.log.access.log0\thandled request\t" + `{"request": {"remote_ip": "192.0.2.7", "remote_port": ` +
			`"51234", "proto": "HTTP/1.1", "method": "GET", "host": "e.example", "uri": "/a?b", "headers": {"User-Agent": ["GPTBot/1.2"], "Referer": ` +
			`["https://e.example/"]}}, "user_id": "", "duration": 0.012, "size": 2326, "status": 200, "resp_headers": {"Server": ["Caddy"]}}`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326,
		at: noon.Add(time.Second / 4), taken: 12 * time.Millisecond,
	},
	{
		name: "Traefik, CLF", format: "traefik",
		in:     `192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /a?b HTTP/2.0" 200 2326 "https://e.example/" "Mozilla/5.0 (X11)" 4711 "web@docker" "http://172.18.0.3:80" 12ms`,
		client: "192.0.2.7", target: "/a?b", agent: "Mozilla/5.0 (X11)", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon,
		taken: 12 * time.Millisecond,
	},
	{
		name: "Traefik, JSON", format: "traefik",
		in: `{"ClientAddr":"192.0.2.7:51234","ClientHost":"192.0.2.7","ClientPort":"51234","ClientUsername":"-","DownstreamContentSize":2326,"DownstreamStatus":200,` +
			`"Duration":12000000,"OriginContentSize":2326,"OriginDuration":11000000,"OriginStatus":200,"Overhead":1000000,"RequestAddr":"E.example:443","RequestContentSize":0,` +
			`"RequestCount":4711,"RequestHost":"e.example","RequestMethod":"GET","RequestPath":"/a?b","RequestPort":"443","RequestProtocol":"HTTP/2.0","RequestScheme":"https",` +
			`"RetryAttempts":0,"RouterName":"web@docker","ServiceAddr":"172.18.0.3:80","ServiceName":"web@docker","StartLocal":"2026-03-01T13:00:00.25+01:00",` +
			`"StartUTC":"2026-03-01T12:00:00.25Z","entryPointName":"websecure","level":"info","msg":"","request_Referer":"https://e.example/","request_User-Agent":"GPTBot/1.2","time":"2026-03-01T12:00:00Z"}`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326,
		at: noon.Add(time.Second / 4), taken: 12 * time.Millisecond,
	},
	{
		name: "Filebeat in front of nginx, Elastic Common Schema", format: "json",
		in: `{"@timestamp":"2026-03-01T12:00:00.000Z","agent":{"name":"collector","type":"filebeat","version":"8.15.0"},"ecs":{"version":"1.12.0"},` +
			`"event":{"dataset":"nginx.access","duration":12000000},"host":{"ip":["10.0.0.5"],"name":"web1"},"http":{"request":{"body":{"bytes":7},"bytes":9,` +
			`"method":"GET","referrer":"https://e.example/"},"response":{"body":{"bytes":2326},"status_code":200},"version":"1.1"},` +
			`"log":{"file":{"path":"/var/log/nginx/access.log"},"offset":17},"related":{"ip":["10.0.0.6"]},"source":{"address":"192.0.2.7","ip":"192.0.2.7"},` +
			`"url":{"domain":"e.example","original":"/a?b","path":"/a","query":"b"},"user_agent":{"device":{"name":"Spider"},"name":"GPTBot","original":"GPTBot/1.2"}}`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326,
		at: noon, taken: 12 * time.Millisecond,
	},
	{
		name: "Elastic Common Schema with dotted names", format: "json",
		in: `{"@timestamp":"2026-03-01T12:00:00.000Z","ecs.version":"1.12.0","host.ip":"10.0.0.5","log.file.path":"/var/log/nginx/access.log",` +
			`"source.ip":"192.0.2.7","http.request.method":"GET","http.request.body.bytes":7,"http.request.referrer":"https://e.example/","http.response.status_code":200,` +
			`"http.response.body.bytes":2326,"url.original":"/a?b","url.path":"/a","url.domain":"e.example","user_agent.original":"GPTBot/1.2","event.duration":12000000}`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326,
		at: noon, taken: 12 * time.Millisecond,
	},
	{
		name: "HAProxy with captured headers", format: "haproxy",
		in:     `Mar  1 12:00:01 lb haproxy[14389]: 192.0.2.7:33317 [01/Mar/2026:12:00:00.250] http-in~ static/srv1 10/0/30/69/109 200 2326 - - ---- 1/1/1/1/0 0/0 {e.example|GPTBot/1.2 (#7bx#7d)|https://e.example/} {} "GET /a?b HTTP/1.1"`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2 ({x})", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326,
		at: noon.Add(time.Second / 4), taken: 109 * time.Millisecond,
	},
	{
		name: "HAProxy, IPv6, no headers, +", format: "haproxy",
		in:     `2001:db8::7:33317 [01/Mar/2026:12:00:00.000] http-in static/<NOSRV> -1/-1/-1/-1/+5 503 +212 - - SC-- 1/1/0/0/0 0/0 "GET /a#22b HTTP/1.1"`,
		client: "2001:db8::7", target: `/a"b`, method: "GET", status: 503, bytes: 212, at: noon, taken: 5 * time.Millisecond,
	},
	{
		name: "HAProxy, httpslog", format: "haproxy",
		in: `192.0.2.7:33317 [01/Mar/2026:12:00:00.250] http-in~ static/srv1 10/0/30/69/109 200 2326 - - ---- 1/1/1/1/0 0/0 {GPTBot/1.2} {} "GET /a?b HTTP/1.1" ` +
			`0/0000000000000000/0/0/0 e.example/TLSv1.3/TLS_AES_256_GCM_SHA384`,
		client: "192.0.2.7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", status: 200, bytes: 2326, at: noon.Add(time.Second / 4),
		taken: 109 * time.Millisecond,
	},
	{
		name: "HAProxy, CLF", format: "common",
		in:     `<134>Mar  1 12:00:00 haproxy[7779]: 192.0.2.7 - - [01/Mar/2026:12:00:00 +0000] "GET /a#22b HTTP/1.1" 200 2326 "" "" 37004 587 "b" "b" "<NOSRV>" 0 -1 -1 -1 7 LR-- 1 1 0 0 0 0 0 "" "" "en" "GPTBot/1.2 #7Bx#7D" `,
		client: "192.0.2.7", target: `/a"b`, agent: "GPTBot/1.2 {x}", method: "GET", status: 200, bytes: 2326, at: noon, taken: 7 * time.Millisecond,
	},
	{
		name: "IIS", format: "iis",
		in: "#Software: Microsoft Internet Information Services 10.0\r\n#Version: 1.0\r\n#Date: 2026-03-01 12:00:00\r\n" +
			"#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) cs-host sc-status sc-substatus sc-win32-status sc-bytes time-taken\r\n" +
			`2026-03-01 12:00:00 10.0.0.1 GET /a b 443 - 192.0.2.7 Mozilla/5.0+(compatible;+bingbot/2.0;++http://www.bing.com/bingbot.htm) https://e.example/ E.example 200 0 0 2326 46` + "\r\n",
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", method: "GET",
		referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: 46 * time.Millisecond,
	},
	{
		name: "W3C without a date in its lines", format: "w3c",
		in:     "#Version: 1.0\n#Date: 2026-03-01 00:00:00\n#Fields: time c-ip cs-method cs-uri sc-status\n12:00:00 192.0.2.7 GET /a?b 404\n",
		client: "192.0.2.7", target: "/a?b", method: "GET", status: 404, at: noon, taken: -1,
	},
	{
		name: "CloudFront", format: "cloudfront",
		in: "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type " +
			"x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for ssl-protocol ssl-cipher x-edge-response-result-type cs-protocol-version\n" +
			strings.Join([]string{
				"2026-03-01", "12:00:00", "FRA56-P4", "2326", "192.0.2.7", "GET", "d111111abcdef8.cloudfront.net", "/a%2520c", "200", "https://e.example/",
				"Mozilla/5.0%20(compatible;%20Googlebot/2.1;%20+http://www.google.com/bot.html)", "b", "-", "Miss", "SOX4xwn4XV6Q4rgb7XiVGOHms_BGlTAC4KyHmureZmBNrjGdRLiNIQ==",
				"E.example", "https", "23", "0.046", "-", "TLSv1.3", "TLS_AES_128_GCM_SHA256", "Miss", "HTTP/2.0",
			}, "\t"),
		client: "192.0.2.7", host: "e.example", target: "/a%20c?b", agent: "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", method: "GET",
		referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: 46 * time.Millisecond,
	},
	{
		name: "Application Load Balancer", format: "alb",
		in: `https 2026-03-01T12:00:00.250000Z app/my-loadbalancer/50dc6c495c0c9188 192.0.2.7:2817 10.0.0.1:80 0.001 0.010 0.001 200 200 34 2326 "GET https://E.example:443/a?b HTTP/1.1" ` +
			`"GPTBot/1.2 (\"x\")" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/my-targets/73e2d6bc24d8a067 ` +
			`"Root=1-58337262-36d228ad5d99923122bbe354" "e.example" "session-reused" 0 2026-03-01T11:59:59.900000Z "forward" "-" "-" "10.0.0.1:80" "200" "-" "-" TID_1234abcd5678ef90`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: `GPTBot/1.2 ("x")`, method: "GET", status: 200, bytes: 2326, at: noon.Add(time.Second / 4),
		taken: 12 * time.Millisecond,
	},
	{
		name: "Classic Load Balancer, no answer", format: "alb",
		in:     `2026-03-01T12:00:00.000000Z my-loadbalancer 192.0.2.7:2817 - -1 -1 -1 504 0 0 0 "GET http://e.example:80/a?b HTTP/1.1" "curl/7.38.0" - -`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "curl/7.38.0", method: "GET", status: 504, at: noon, taken: -1,
	},
	{
		name: "S3", format: "s3",
		in: `79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be www.e.example [01/Mar/2026:12:00:00 +0000] 192.0.2.7 - DD6CC733AEXAMPLE WEBSITE.GET.OBJECT a ` +
			`"GET /a?b HTTP/1.1" 200 - 2326 2326 46 28 "https://e.example/" "GPTBot/1.2" - 10S62Zv81kBW7BB6SX4XJ48o6kpcl6LPwEoizZQQxJd5qDSCTLX0TgS37kYUBKQW3= - ` +
			`ECDHE-RSA-AES128-SHA - e.example TLSV1.2 - - us-east-1`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon,
		taken: 46 * time.Millisecond,
	},
	{
		name: "Nginx Proxy Manager", format: "npm",
		in: `[01/Mar/2026:12:00:00 +0000] - 200 200 - GET https E.example "/a?b" [Client 192.0.2.7] [Length 2326] [Gzip 3.10] [Sent-to web] ` +
			`"GPTBot/1.2 (\x22x\x22)" "https://e.example/"`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: `GPTBot/1.2 ("x")`, method: "GET", referrer: "https://e.example/", status: 200,
		bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "Nginx Proxy Manager, a host that redirects", format: "npm",
		in:     `[01/Mar/2026:13:00:00 +0100] 301 - GET http e.example "/a?b" [Client 2001:db8::7] [Length 166] [Gzip -] "GPTBot/1.2" "-"`,
		client: "2001:db8::7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", status: 301, bytes: 166, at: noon, taken: -1,
	},
	{
		name: "log4js", format: "log4js",
		in:     `[2026-03-01T12:00:00.250] [INFO] access - ::ffff:192.0.2.7 - - "GET /a?b HTTP/1.1" 200 2326 "https://e.example/" "GPTBot/1.2"`,
		client: "192.0.2.7", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326,
		at: noon.Add(time.Second / 4), taken: -1,
	},
	{
		name: "log4js, what a client sent has quotes", format: "log4js",
		in:     `[2026-03-01T12:00:00.000] [WARN] http - 2001:db8::7 - - "GET /a?b="c" HTTP/1.1" 304 - "" "GPTBot/1.2 ("x")"`,
		client: "2001:db8::7", target: `/a?b="c"`, agent: `GPTBot/1.2 ("x")`, method: "GET", status: 304, at: noon, taken: -1,
	},
	{
		name: "Envoy", format: "envoy",
		in:     `[2026-03-01T12:00:00.250Z] "GET /a?b HTTP/2" 200 - 0 2326 46 45 "192.0.2.7" "GPTBot/1.2" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "e.example" "10.0.2.1:80"`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", status: 200, bytes: 2326, at: noon.Add(time.Second / 4),
		taken: 46 * time.Millisecond,
	},
	{
		name: "Istio", format: "istio",
		in: `[2026-03-01T12:00:00.250Z] "GET /a?b HTTP/1.1" 200 - via_upstream - "-" 0 2326 46 45 "192.0.2.7,10.0.0.9" "GPTBot/1.2" "84961386-6d84-929d-98bd-c5aee93b5c88" "e.example:443" ` +
			`"127.0.0.1:80" inbound|8000|| 127.0.0.1:41854 10.44.1.27:80 10.44.1.23:37652 outbound_.8000_._.e default`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", status: 200, bytes: 2326, at: noon.Add(time.Second / 4),
		taken: 46 * time.Millisecond,
	},
	{
		name: "CloudFront, JSON", format: "json",
		in: `{"sc-bytes":"2326","c-ip":"192.0.2.7","time":"12:00:00","date":"2026-03-01","cs-method":"GET","cs(Host)":"d111111abcdef8.cloudfront.net","cs-uri-stem":"/a%2520c",` +
			`"sc-status":"200","cs(Referer)":"https://e.example/","cs(User-Agent)":"Mozilla/5.0%20(compatible;%20GPTBot/1.2)","cs-uri-query":"b",` +
			`"x-edge-location":"FRA56-P4","x-host-header":"E.example","cs-protocol":"https","cs-bytes":"123"}`,
		client: "192.0.2.7", host: "e.example", target: "/a%20c?b", agent: "Mozilla/5.0 (compatible; GPTBot/1.2)", method: "GET", referrer: "https://e.example/",
		status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "Akamai DataStream", format: "json",
		in: `{"version":1,"cp":"123456","reqId":"1239f220","reqTimeSec":"1772366400.000","bytes":"2326","cliIP":"192.0.2.7","statusCode":"200","proto":"HTTPS","reqHost":"E.example",` +
			`"reqMethod":"GET","reqPath":"a%20c","queryStr":"b","reqPort":"443","rspContentLen":"5000","UA":"Mozilla%2F5.0%20(compatible%3B%20GPTBot%2F1.2)",` +
			`"referer":"https%3A%2F%2Fe.example%2F","xForwardedFor":"198.51.100.9","transferTimeMSec":"125","cookie":"-"}`,
		client: "192.0.2.7", host: "e.example", target: "/a%20c?b", agent: "Mozilla/5.0 (compatible; GPTBot/1.2)", method: "GET", referrer: "https://e.example/",
		status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "Envoy, JSON", format: "json",
		in: `{":authority":"e.example","bytes_received":0,"bytes_sent":2326,"downstream_local_address":"10.0.0.1:10080","downstream_remote_address":"192.0.2.7:59086","duration":46,` +
			`"method":"GET","protocol":"HTTP/1.1","response_code":200,"response_flags":"-","start_time":"2026-03-01T12:00:00.250Z","user-agent":"GPTBot/1.2","x-envoy-origin-path":"/a?b",` +
			`"x-forwarded-for":"192.0.2.99"}`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", status: 200, bytes: 2326, at: noon.Add(time.Second / 4),
		taken: 46 * time.Millisecond,
	},
	{
		name: "Cloudflare Logpush", format: "cloudflare",
		in: `{"ClientIP":"192.0.2.7","ClientRequestHost":"e.example","ClientRequestMethod":"GET","ClientRequestPath":"/a","ClientRequestProtocol":"HTTP/2","ClientRequestReferer":"https://e.example/",` +
			`"ClientRequestURI":"/a?b","ClientRequestUserAgent":"GPTBot/1.2","EdgeEndTimestamp":"2026-03-01T12:00:09Z","EdgeResponseBytes":2326,"EdgeResponseStatus":200,` +
			`"EdgeStartTimestamp":"2026-03-01T12:00:00Z","OriginResponseStatus":0,"RayID":"3a6050bcbe121a87"}`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "Cloudflare Logpush, nanoseconds", format: "cloudflare",
		in:     `{"ClientIP":"2001:db8::7","ClientRequestHost":"e.example","ClientRequestMethod":"GET","ClientRequestURI":"/a?b","EdgeEndTimestamp":1772366401000000000,"EdgeResponseBytes":2326,"EdgeResponseStatus":200,"EdgeStartTimestamp":1772366400000000000}`,
		client: "2001:db8::7", host: "e.example", target: "/a?b", method: "GET", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "Google's load balancer", format: "common",
		in: `{"httpRequest":{"latency":"0.046s","referer":"https://e.example/","remoteIp":"192.0.2.7","requestMethod":"GET","requestSize":"79","requestUrl":"https://E.example/a?b",` +
			`"responseSize":"2326","serverIp":"10.0.0.2","status":200,"userAgent":"GPTBot/1.2"},"insertId":"x","receiveTimestamp":"2026-03-01T12:00:01.5Z",` +
			`"resource":{"labels":{"url_map_name":"m"},"type":"http_load_balancer"},"severity":"INFO","timestamp":"2026-03-01T12:00:00.25Z"}`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326,
		at: noon.Add(time.Second / 4), taken: 46 * time.Millisecond,
	},
	{
		name: "Azure Front Door", format: "common",
		in: `{"time":"2026-03-01T12:00:00.0000000Z","category":"FrontDoorAccessLog","properties":{"httpMethod":"GET","httpVersion":"2.0","requestUri":"https://e.example:443/a?b",` +
			`"requestBytes":"1150","responseBytes":"2326","userAgent":"GPTBot/1.2","clientIp":"192.0.2.7","timeTaken":"0.2","domain":"e.example:443","httpStatusCode":"200","referer":"https://e.example/"}}`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "Azure Application Gateway, which rewrites host and path", format: "common",
		in: `{"timeStamp":"2026-03-01T12:00:00+00:00","category":"ApplicationGatewayAccessLog","properties":{"instanceId":"appgw_2","clientIP":"192.0.2.7",` +
			`"httpMethod":"GET","originalRequestUriWithArgs":"\/a?b","requestUri":"\/internal\/a","requestQuery":"b","userAgent":"GPTBot\/1.2","httpStatus":200,` +
			`"receivedBytes":184,"sentBytes":2326,"clientResponseTime":0,"timeTaken":0.034,"originalHost":"e.example","host":"backend.example"}}`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "Fastly", format: "common",
		in: `{"timestamp":"2026-03-01T12:00:00+0000","client_ip":"192.0.2.7","geo_city":"x","host":"e.example","url":"/a?b","request_method":"GET","request_protocol":"HTTP/2",` +
			`"request_referer":"https://e.example/","request_user_agent":"GPTBot/1.2","response_state":"HIT","response_status":200,"response_reason":"OK","response_body_size":2326}`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "nginx, JSON with the address of the server for host, and a path that is rewritten", format: "common",
		in: `{"@timestamp":"2026-03-01T13:00:00+01:00","host":"10.0.0.1","clientip":"192.0.2.7","size":2326,"responsetime":0.209,"uri":"/index.php","request_uri":"/a?b","request_method":"GET",` +
			`"server_name":"_","domain":"e.example","http_referrer":"https://e.example/","agent":"GPTBot/1.2","status":"200"}`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: -1,
	},
	{
		name: "nginx, JSON with the request line for the URL", format: "common",
		in: `{"timestamp":"2026-03-01T12:00:00Z","host":"10.0.0.1","http_host":"e.example","clientip":"192.0.2.7","request_method":"GET","referer":"https://e.example/","request":"/a?b",` +
			`"requesturl":"GET /a?b HTTP/1.1","size":2326,"status": 200,"http_user_agent":"GPTBot/1.2"}`,
		client: "192.0.2.7", host: "e.example", target: "/a?b", agent: "GPTBot/1.2", method: "GET", referrer: "https://e.example/", status: 200, bytes: 2326, at: noon, taken: -1,
	},
}

// TestHTTPServer: Python's http.server, and Werkzeug's for developers, have a blank before the hour, no zone and no size. Of an
// error the former has a line more.
func TestHTTPServer(t *testing.T) {
	var e accesslog.Entry
	err := new(accesslog.Parser).Parse([]byte(`192.0.2.7 - - [01/Mar/2026 12:00:00] "GET /a?b HTTP/1.1" 200 -`), &e)
	if err != nil || string(e.Client) != "192.0.2.7" || string(e.Target) != "/a?b" || e.Status != 200 || e.Bytes != 0 || !e.Time.Equal(noon) || e.HasAgent {
		t.Errorf("%+v, %v", e, err)
	}
	err = new(accesslog.Parser).Parse([]byte(`192.0.2.7 - - [01/Mar/2026 12:00:00] code 404, message File not found`), &e)
	if !errors.Is(err, accesslog.ErrRemark) {
		t.Errorf("a line about an error: %v", err)
	}
}

// TestReferrals: WEBrick says behind each request from where it came, in a line that is of no request.
func TestReferrals(t *testing.T) {
	for line, want := range map[string]error{
		"- -> /a?b": accesslog.ErrRemark, "https://e.example/ -> /a b": accesslog.ErrRemark, "192.0.2.7 -> /a": accesslog.ErrTime,
		`- -> /a "GET`: accesslog.ErrTime, "- -> ": accesslog.ErrTime,
	} {
		if err := new(accesslog.Parser).Parse([]byte(line), new(accesslog.Entry)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", line, err, want)
		}
	}
}

// TestDurations: a response time in JSON counts where its unit is known: not as a whole number, which may be of Apache's %D, nor
// by a name that programs for seconds and for milliseconds share, as zerolog and Caddy share duration.
func TestDurations(t *testing.T) {
	for field, want := range map[string]time.Duration{
		`"request":{},"duration":0.25`: time.Second / 4, `"duration":1.2e-05,"request":{}`: 12 * time.Microsecond, `"request_time":"0.250"`: time.Second / 4,
		`"duration":84.37291`: -1, `"request":"GET /a HTTP/1.1","duration":84.37291`: -1, `"request":{},"duration":250000000`: -1,
		`"duration":468`: -1, `"request_time":"468"`: -1, `"response_time":635.487`: -1, `"response_time_ms":250`: time.Second / 4,
		`"duration_us":468`: 468 * time.Microsecond, `"duration":46,"response_flags":"-"`: 46 * time.Millisecond,
	} {
		var e accesslog.Entry
		line := `{"time":"01/Mar/2026:12:00:00.250","client_ip":"192.0.2.7","method":"GET","uri":"/a","status":200,` + field + `}`
		if err := new(accesslog.Parser).Parse([]byte(line), &e); err != nil || e.Taken != want || !e.Time.Equal(noon.Add(time.Second/4)) {
			t.Errorf("%s: %v after %v at %v, want %v", field, err, e.Taken, e.Time, want)
		}
	}
}

// TestFormats: each kind of log is recognised, and read in the same way when it is named.
func TestFormats(t *testing.T) {
	for _, c := range samples {
		for _, name := range []string{"auto", strings.Replace(c.format, "common", "auto", 1)} {
			t.Run(c.name+" as "+name, func(t *testing.T) {
				format, err := accesslog.ParseFormat(name)
				if err != nil {
					t.Fatal(err)
				}
				in := c.in
				if name == "haproxy" {
					if _, bare, ok := strings.Cut(in, "]: "); ok {
						in = bare
					}
				}
				r := accesslog.NewReader(strings.NewReader(in), format)
				if !r.Next() {
					t.Fatalf("no entry: %+v", r.Tally())
				}
				e := r.Entry()
				got := []string{string(e.Client), string(e.Host), string(e.Target), string(e.Agent), string(e.Method), string(e.Referrer)}
				want := []string{c.client, c.host, c.target, c.agent, c.method, c.referrer}
				if strings.Join(got, "|") != strings.Join(want, "|") {
					t.Errorf("client, host, target, agent, method, referrer are\n%q, want\n%q", got, want)
				}
				if e.Status != c.status || e.Bytes != c.bytes || !e.Time.Equal(c.at) || (e.Taken-c.taken).Abs() > time.Microsecond || len(e.Authority) > 0 {
					t.Errorf("%d, %d bytes, %v, %v; want %d, %d, %v, %v", e.Status, e.Bytes, e.Time, e.Taken, c.status, c.bytes, c.at, c.taken)
				}
				if e.HasAgent != (c.agent != "") {
					t.Errorf("HasAgent is %v", e.HasAgent)
				}
				if r.Next() || r.Tally().Malformed > 0 {
					t.Errorf("there is more: %+v", r.Tally())
				}
			})
		}
	}
}

// TestPlaces_OfNobody: what S3 did by itself is no request, and no fault of the log; a line without an address has no client.
func TestPlaces_OfNobody(t *testing.T) {
	for _, c := range []struct {
		in   string
		want error
	}{
		{`79a5 e.example [01/Mar/2026:12:00:00 +0000] - AmazonS3 B5D1 S3.EXPIRE.OBJECT a "-" - - - - - - "-" "-" - h - - - - - - -`, accesslog.ErrRemark},
		{`79a5 e.example [01/Mar/2026:12:00:00 +0000] e.example AmazonS3 B5D1 REST.GET.OBJECT a "GET /a HTTP/1.1" 200 - 1 1 1 1 "-" "-" - h - - - h -`, accesslog.ErrClient},
		{`[2026-03-01T12:00:00Z] "GET / HTTP/2" 200 - 0 1 1 1 "-" "GPTBot/1.2" "x" "e.example" "-"`, accesslog.ErrClient},
		{`[2026-03-01T12:00:00Z] "GET / HTTP/2" 200 - 0 1 1 1 "192.0.2.7" GPTBot/1.2 "x" "e.example" "-"`, accesslog.ErrAgent},
	} {
		for _, f := range []accesslog.Format{accesslog.S3, accesslog.Envoy} {
			var e accesslog.Entry
			if err := (&accesslog.Parser{Format: f}).Parse([]byte(c.in), &e); (f == accesslog.Envoy) == (c.in[0] == '[') && !errors.Is(err, c.want) {
				t.Errorf("%s as %s: %v, want %v", c.in, f, err, c.want)
			}
		}
	}
}

// TestParse_LabelTwice: of two fields with one label, one may be what a client has sent; the line is told of with its address.
func TestParse_LabelTwice(t *testing.T) {
	const line = "time:[01/Mar/2026:12:00:00 +0000]\thost:192.0.2.7\treq:GET / HTTP/1.1\tstatus:200\tsize:1\tua:x\thost:192.0.2.9\n"
	log := accesslog.NewReader(strings.NewReader(line), accesslog.Auto)
	for log.Next() {
		t.Errorf("it is read as of %s", log.Entry().Client)
	}
	if from := log.Tally().From; len(from) != 1 || from[0].Client != "192.0.2.7" {
		t.Errorf("it is of %v", from)
	}
}

// TestParse_Console: a line of Caddy's console is read without memory of its own, and one of a program that only writes the path as
// it was sent is none, whatever is in that.
func TestParse_Console(t *testing.T) {
	const object = "\thandled request\t" + `{"request": {"remote_ip": "192.0.2.7", "uri": "/private/", "headers": {"User-Agent": ["GPTBot/1.2"]}}, "status": 200}`
	var p accesslog.Parser
	var e accesslog.Entry
	line := []byte("2026/03/01 12:00:00.250\tINFO\thttp.log.access" + object)
	if n := testing.AllocsPerRun(10, func() {
		if err := p.Parse(line, &e); err != nil {
			t.Error(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if err := p.Parse([]byte("2026/03/01 12:00:00 192.0.2.9 GET /x"+object), &e); err == nil {
		t.Errorf("what a client sent is taken for a line: %s asked for %s", e.Client, e.Target)
	}
}

// TestParse_NullAgent: null in an object is nobody's name, and says that the log has User-Agents.
func TestParse_NullAgent(t *testing.T) {
	const line = `{"time":"2026-03-01T12:00:00Z","remote_addr":"192.0.2.7","method":"GET","path":"/","status":200,"user_agent":null}`
	var e accesslog.Entry
	if err := new(accesslog.Parser).Parse([]byte(line), &e); err != nil || len(e.Agent) > 0 || !e.HasAgent {
		t.Errorf("User-Agent %q, known: %v; %v", e.Agent, e.HasAgent, err)
	}
}

// TestFormats_Torn: a line that ends early is no entry of another client, or of another target that is whole.
func TestFormats_Torn(t *testing.T) {
	for _, c := range samples {
		head, line := "", strings.TrimRight(c.in, "\r\n")
		if i := strings.LastIndexByte(line, '\n'); i >= 0 {
			head, line = line[:i+1], line[i+1:]
		}
		for i := range line {
			r := accesslog.NewReader(strings.NewReader(head+line[:i]), accesslog.Auto)
			for r.Next() {
				if e := r.Entry(); string(e.Client) != c.client || !e.Time.Truncate(time.Second).Equal(c.at.Truncate(time.Second)) {
					t.Errorf("%s, torn after %q: client %q at %v", c.name, line[:i], e.Client, e.Time)
				}
			}
		}
	}
}

// TestFormats_Mixed: a log that goes on in another format is read on, and one whose fields change too.
func TestFormats_Mixed(t *testing.T) {
	var in strings.Builder
	for range 3 {
		for _, c := range samples {
			in.WriteString(strings.TrimRight(c.in, "\r\n") + "\n")
		}
	}
	r := accesslog.NewReader(strings.NewReader(in.String()), accesslog.Auto)
	n := 0
	for r.Next() {
		if c := samples[n%len(samples)]; string(r.Entry().Client) != c.client || string(r.Entry().Target) != c.target {
			t.Errorf("%s: client %q, target %q", c.name, r.Entry().Client, r.Entry().Target)
		}
		n++
	}
	if n != 3*len(samples) || r.Tally().Malformed > 0 {
		t.Errorf("%d of %d, %+v", n, 3*len(samples), r.Tally())
	}
}

// TestReader_Forwarded: a captured or logged X-Forwarded-For counts when a trusted proxy asked.
func TestReader_Forwarded(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, in := range []string{
		`10.0.0.9:33317 [01/Mar/2026:12:00:00.250] http-in s/s 0/0/0/1/1 200 1 - - ---- 1/1/1/1/0 0/0 {GPTBot/1.2|192.0.2.7} "GET / HTTP/1.1"`,
		"#Fields: date time c-ip cs-method cs-uri-stem sc-status x-forwarded-for\n2026-03-01 12:00:00 10.0.0.9 GET / 200 192.0.2.7",
	} {
		r := accesslog.NewReader(strings.NewReader(in), accesslog.Auto)
		r.Trust(trusted)
		if !r.Next() || string(r.Entry().Client) != "192.0.2.7" || r.Entry().Forwarded {
			t.Errorf("%s: client %q, %+v", in, r.Entry().Client, r.Tally())
		}
	}
	for _, proxies := range [][]netip.Prefix{nil, trusted} { // who is known by a proxy of ours is more than a claim
		r := accesslog.NewReader(strings.NewReader(`192.0.2.7, 10.0.0.9 - - [01/Mar/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 1`), accesslog.Auto)
		if r.Trust(proxies); !r.Next() || string(r.Entry().Client) != "192.0.2.7" || r.Entry().Forwarded != (proxies == nil) {
			t.Errorf("trusted %v: client %q, claimed: %v", proxies, r.Entry().Client, r.Entry().Forwarded)
		}
	}
}

// TestMerge_Layouts: what fields a line has is remembered while lines are sorted; and whose log it is.
func TestMerge_Layouts(t *testing.T) {
	var lines strings.Builder
	lines.WriteString("#Fields: date time c-ip cs-method cs-uri-stem sc-status\n")
	for i := range 100 {
		lines.WriteString(noon.Add(-time.Duration(i*i) * time.Second).Format("2006-01-02 15:04:05"))
		lines.WriteString(" 192.0.2.7 GET /a 200\n")
		if i == 50 {
			lines.WriteString("#Fields: cs-uri-stem date time c-ip sc-status\n")
			lines.WriteString("/b 2026-03-01 11:00:00 192.0.2.8 200\n#Fields: date time c-ip cs-method cs-uri-stem sc-status\n")
		}
	}
	s := sourceOf("a", lines.String())
	s.Host = "e.example"
	m := accesslog.NewMerge(s)
	n, b := 0, 0
	err := m.Each(func() { n, b = 0, 0 }, func(e *accesslog.Entry, _ string, _ int64, _ []byte) {
		n++
		if string(e.Target) == "/b" && string(e.Client) == "192.0.2.8" && string(e.Host) == "e.example" {
			b++
		}
	})
	if err != nil || n != 101 || b != 1 {
		t.Errorf("%v, %d entries, %d of the other layout", err, n, b)
	}
}
