package accesslog

import "strings"

// A field is what the value of a name in a JSON object means.
type field uint8

const (
	_                  field = iota // not asked for, or a response time (setDuration)
	fieldClient                     // the client, whatever others say
	fieldPeer                       // the client, unless another field has it
	fieldForwarded                  // X-Forwarded-For
	fieldMethod                     // the method
	fieldReferrer                   // Referer
	fieldAgent                      // User-Agent
	fieldEscapedAgent               // User-Agent, in an object with %XX for what is not plain: CloudFront's, Akamai's
	fieldSignature                  // Signature-Input
	fieldRequest                    // the request line, or the target alone; in some logs an object with all of the request
	fieldSentTarget                 // the target as it was sent, which counts more than others
	fieldOriginal                   // the target as it was sent, where fieldFullTarget lacks its query and may be rewritten
	fieldFullTarget                 // the target with the host in front, as load balancers have it
	fieldSentPath                   // the target as it was sent, perhaps without its query
	fieldTarget                     // likewise, but not within another object it may be one that nginx rewrote ($uri)
	fieldBarePath                   // the path, perhaps without its first slash: Akamai's
	fieldQuery                      // the query
	fieldHost                       // the host, or the address of the server
	fieldSentHost                   // the host that the client has sent, where fieldHost is that of a network between
	fieldExactTime                  // the time, more exact than that of fieldTime
	fieldTime                       // the time, or its day or hour
	fieldStatus                     // the status
	fieldTraefikStatus              // likewise, in an object whose durations are in nanoseconds
	fieldBytes                      // bytes of the answer
	fieldTomcat                     // none of ours; it says that host is the client
	fieldEnvoyFlags                 // none of ours; it says that durations are in milliseconds
	fieldDeployment                 // none of ours; with an object proxy it says that the log is a drain of Vercel
	fieldDuration                   // the response time, in the unit of the object
	fieldLogger                     // none of ours; the part of Caddy whose line it is
)

// fields are the names that mean something, in lower case with _ for -.
var fields = byName(map[field]string{
	fieldClient: "client_ip c_ip cliip",
	fieldPeer: "clienthost remote_addr remote_ip remoteip clientip remote_host client ip downstream_remote_address " +
		"remoteaddress remoteaddr",
	fieldForwarded:    "x_forwarded_for http_x_forwarded_for",
	fieldMethod:       "method request_method http_method httpmethod verb clientrequestmethod requestmethod reqmethod cs_method",
	fieldReferrer:     "http_referer http_referrer referer referrer clientrequestreferer request_referer cs(referer)",
	fieldAgent:        "http_user_agent user_agent useragent agent clientrequestuseragent request_user_agent",
	fieldEscapedAgent: "cs(user_agent) ua",
	fieldSignature:    "signature_input http_signature_input",
	fieldRequest:      "request request_line",
	fieldSentTarget:   "clientrequesturi request_uri x_envoy_origin_path x_envoy_original_path",
	fieldOriginal:     "originalrequesturiwithargs",
	fieldFullTarget:   "requesturi requesturl",
	fieldSentPath:     "clientrequestpath requestedurl request_path requestpath cs_uri_stem",
	fieldBarePath:     "reqpath",
	fieldTarget:       "uri url path",
	fieldQuery:        "query query_string querystr args cs_uri_query",
	fieldHost: "host http_host server_name vhost virtual_host domain clientrequesthost requestaddr " +
		"requesthost reqhost :authority authority cs(host) localservername",
	fieldSentHost:  "x_host_header originalhost",
	fieldExactTime: "edgestarttimestamp startutc",
	fieldTime: "edgeendtimestamp startlocal time_local time_iso8601 time ts timestamp @timestamp msec date start_time " +
		"reqtimesec",
	fieldStatus: "status status_code statuscode response_status http_status httpstatus httpstatuscode response code " +
		"edgeresponsestatus response_code sc_status",
	fieldTraefikStatus: "downstreamstatus",
	fieldBytes: "edgeresponsebytes downstreamcontentsize body_bytes_sent bytes_sent bytes size bytes_out " +
		"response_body_size response_size responsesize responsebytes sentbytes sc_bytes bytesent bytesentnc",
	fieldTomcat:     "logicalusername elapsedtime elapsedtimes threadname connectionstatus",
	fieldEnvoyFlags: "response_flags",
	fieldDeployment: "deploymentid",
	fieldDuration:   "duration",
	fieldLogger:     "logger",
})

// byName turns a table of names around.
func byName(table map[field]string) map[string]field {
	byName := map[string]field{}
	for f, names := range table {
		for _, name := range strings.Fields(names) {
			byName[name] = f
		}
	}
	return byName
}
