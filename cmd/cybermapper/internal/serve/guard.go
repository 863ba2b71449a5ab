package serve

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// MinToken is the least length of a token that somebody chose, in bytes: it is all that stands between the web and the job.
const MinToken = 16

// signInLasts is how long a visitor who signed in stays so.
const signInLasts = 12 * time.Hour

// policy is the Content-Security-Policy of every page: nothing from elsewhere, no script but ours, frames of our own only.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; frame-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// A guard decides who is answered.
type guard struct {
	o     Options
	key   []byte // signs cookies; a new one in each process, so a restart signs everybody out
	cross *http.CrossOriginProtection
}

func newGuard(o Options) (*guard, error) {
	if o.Token != "" && len(o.Token) < MinToken {
		return nil, fmt.Errorf("serve: the token has %d bytes, at least %d are needed", len(o.Token), MinToken)
	}
	g := &guard{o: o, key: make([]byte, 32), cross: http.NewCrossOriginProtection()}
	rand.Read(g.key)
	return g, nil
}

// protect lets through to next what may be answered.
func (g *guard) protect(next http.Handler) http.Handler {
	next = g.cross.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Robots-Tag", "noindex, nofollow")
		switch {
		case !g.knows(r.Host):
			refuse(w, r, http.StatusMisdirectedRequest, "This server is not asked under that name; --host NAME permits it.")
		case !g.open(r.URL.Path) && !g.knownVisitor(r):
			if forPrograms(r) {
				w.Header().Set("WWW-Authenticate", `Bearer realm="cybermapper"`)
				refuse(w, r, http.StatusUnauthorized, "Sign in first, or send the token as Authorization: Bearer.")
				return
			}
			http.Redirect(w, r, "/sign-in?"+url.Values{"to": {r.URL.RequestURI()}}.Encode(), http.StatusSeeOther)
		default:
			r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
			next.ServeHTTP(w, r)
		}
	})
}

// refuse answers somebody who may see no page with what is wrong: JSON to who asked for that, else text.
func refuse(w http.ResponseWriter, r *http.Request, status int, text string) {
	if isAPI(r) {
		answerJSON(w, status, map[string]string{"error": text})
		return
	}
	http.Error(w, text, status)
}

// isAPI reports whether a request is answered with JSON.
func isAPI(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/api/") }

// forPrograms reports whether a request is one that a program makes: told to sign in, it would take that page for the answer.
// A password (Authorization: Basic) is what a browser sends to a proxy before us that asks for one.
func forPrograms(r *http.Request) bool {
	switch path.Ext(r.URL.Path) {
	case ".csv", ".gexf", ".graphml", ".xml":
		return true
	}
	_, asProgram := bearerToken(r)
	return isAPI(r) || r.URL.Path == "/metrics" || r.URL.Path == "/live/events" ||
		r.Method != http.MethodGet || asProgram
}

// bearerToken returns the token that a request carries. The name of the scheme is in any case (RFC 9110, section 11.1).
func bearerToken(r *http.Request) (token string, ok bool) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return token, strings.EqualFold(scheme, "Bearer")
}

// knows reports whether the server may be asked under the name in a Host field. A page of another site can make a browser ask an
// address under a name that the site owns, but not under an address or under ours.
func (g *guard) knows(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return true
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.ContainsFunc(g.o.Hosts, func(name string) bool {
		return strings.EqualFold(name, host)
	})
}

// open reports whether a path is answered to everybody.
func (g *guard) open(path string) bool {
	switch path {
	case "/sign-in", "/style.css", "/page.js", "/favicon.svg", "/healthz", "/readyz", "/robots.txt":
		return true
	}
	return g.o.Token == ""
}

// knownVisitor reports whether a request carries the token, or the cookie of one who knew it.
func (g *guard) knownVisitor(r *http.Request) bool {
	if token, ok := bearerToken(r); ok {
		return g.isToken(token)
	}
	c, err := r.Cookie(g.cookieName())
	if err != nil {
		return false
	}
	until, sum, _ := strings.Cut(c.Value, ".")
	t, err := time.Parse(cookieTime, until)
	return err == nil && hmac.Equal([]byte(sum), []byte(g.sign(until))) && time.Now().Before(t)
}

// isToken compares in a time that says nothing of how much was right.
func (g *guard) isToken(s string) bool {
	a, b := sha256.Sum256([]byte(s)), sha256.Sum256([]byte(g.o.Token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

const cookieTime = "20060102T150405Z"

func (g *guard) sign(text string) string {
	mac := hmac.New(sha256.New, g.key)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

// cookieName has a prefix with which browsers insist that the cookie is of this host and came by TLS.
func (g *guard) cookieName() string {
	if g.o.TLS {
		return "__Host-cybermapper"
	}
	return "cybermapper"
}

// cookie keeps a visitor signed in until then; a time that has passed signs out.
func (g *guard) cookie(until time.Time) *http.Cookie {
	text := until.UTC().Format(cookieTime)
	return &http.Cookie{
		Name: g.cookieName(), Value: text + "." + g.sign(text), Path: "/", Expires: until, Secure: g.o.TLS, HttpOnly: true,
		SameSite: http.SameSiteStrictMode,
	}
}

// A signInForm is what the page to sign in shows.
type signInForm struct {
	To      string // where the visitor wanted to go
	Problem string
}

func (s *Server) signInPage(w http.ResponseWriter, r *http.Request) {
	to := ourPage(r.URL.Query().Get("to"))
	if s.o.Token == "" || s.guard.knownVisitor(r) {
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	s.showSignIn(w, r, http.StatusOK, signInForm{To: to})
}

func (s *Server) showSignIn(w http.ResponseWriter, r *http.Request, status int, f signInForm) {
	s.show(w, r, status, "signin.tmpl", view{Title: "Sign in", Here: "sign-in", Data: f})
}

// ourPage returns a reference to a page of this server as it is, and the start page for any other. Browsers take a backslash in a
// path for a slash (URL Standard, path state), and two slashes for the beginning of a host; no path of ours has one. A fragment is
// never sent to a server, and http.Redirect takes it for a part of the path.
func ourPage(to string) string {
	u, err := url.Parse(to)
	if err == nil && u.Scheme == "" && u.Host == "" && u.Fragment == "" && strings.HasPrefix(to, "/") &&
		!strings.Contains(u.Path, `\`) {
		return to
	}
	return "/"
}

func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	to := ourPage(r.PostFormValue("to"))
	if s.o.Token != "" && !s.guard.isToken(r.PostFormValue("token")) {
		s.o.Log.Warn("sign-in refused", zapAddress(r))
		s.showSignIn(w, r, http.StatusForbidden, signInForm{to, "That is not the token."})
		return
	}
	http.SetCookie(w, s.guard.cookie(time.Now().Add(signInLasts)))
	http.Redirect(w, r, to, http.StatusSeeOther)
}

func (s *Server) signOut(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, s.guard.cookie(time.Unix(1, 0)))
	http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
}
