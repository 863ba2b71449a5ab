package frontier

import (
	"errors"
	"fmt"
	"strings"

	whatwgerrors "github.com/nlnwa/whatwg-url/errors"
	whatwg "github.com/nlnwa/whatwg-url/url"
)

// resolveWHATWG resolves any reference by the WHATWG URL parser and brings the result into canonical form. base is
// canonical or empty.
func resolveWHATWG(base, ref string) (string, error) {
	parsed, err := whatwg.ParseRef(base, ref)
	if err != nil {
		return "", errors.New(complaint(err))
	}
	if scheme := parsed.Scheme(); scheme != "http" && scheme != "https" {
		return "", newSchemeError(scheme)
	}
	parsed.SetUsername("")
	parsed.SetPassword("")
	s := parsed.Href(true)
	origin := originLen(s)
	buf, ok := appendPathQuery([]byte(s[:origin]), s[origin:])
	if !ok {
		return "", fmt.Errorf("path or query has bytes that no URL has")
	}
	return string(buf), nil
}

// complaint says in plain words, and without the user-info that the URL may hold, why the parser refused it.
func complaint(err error) string {
	switch whatwgerrors.Type(err) {
	case whatwgerrors.MissingSchemeNonRelativeURL:
		return "not an absolute URL"
	case whatwgerrors.HostMissing:
		return "URL has no host"
	case whatwgerrors.PortOutOfRange, whatwgerrors.PortInvalid:
		return "port is not a number from 0 to 65535"
	case whatwgerrors.InvalidCredentials:
		return "URL has user-info, but no host"
	}
	return "host is neither a domain name nor an IP address"
}

// foreignScheme returns the scheme of ref, lower case, if it has one that is neither http nor https and that can be
// told without the whole parser.
func foreignScheme(ref string) string {
	ref = strings.TrimLeft(ref, " ")
	for i := 0; i < len(ref) && i <= maxSchemeShown; i++ {
		switch c := ref[i]; {
		case isAlpha(c):
		case i > 0 && (isDigit(c) || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			if scheme := strings.ToLower(ref[:i]); scheme != "http" && scheme != "https" {
				return scheme
			}
			return ""
		default:
			return ""
		}
	}
	return ""
}

const maxSchemeShown = 32 // bytes; a longer one is cut in messages

func newSchemeError(scheme string) SchemeError {
	if len(scheme) > maxSchemeShown {
		scheme = scheme[:maxSchemeShown] + "…"
	}
	return SchemeError(scheme)
}
