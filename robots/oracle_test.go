package robots_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cybermapper/cybermapper/robots"
	"github.com/cybermapper/cybermapper/robots/robotstest"
)

// An oracle is somebody else's parser, as a program that reads a JSON list of questions and writes a list of answers.
type oracle struct {
	name    string
	program []string
	missing string // what its error says where it is not installed

	// differs has what it reads in another way than RFC 9309, and when that may matter for a path.
	differs []difference
}

// A difference is why an oracle may answer otherwise.
type difference struct {
	why     string
	matters func(q question, path string) bool
}

// A question is whether robots may have paths.
type question struct {
	Body  string   `json:"body"`
	Agent string   `json:"agent"`
	Paths []string `json:"paths"`
}

var oracles = []oracle{
	{
		name: "protego", missing: "No module named",
		program: []string{"/usr/bin/python3", "-c", `
import json, sys
from protego import Protego
def answer(q):
    file = Protego.parse(q["body"])
    return [file.can_fetch("http://e.example" + p, q["agent"]) for p in q["paths"]]
print(json.dumps([answer(q) for q in json.load(sys.stdin)]))`},
		differs: []difference{namesWithin, emptyQuery, partedNames, dollarInPath, startsWithStar},
	},
	{
		name: "robots-parser", missing: "Cannot find module",
		program: []string{"node", "-e", `
const parse = require("robots-parser"), u = "http://e.example";
const list = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(list.map(q => { const r = parse(u + "/robots.txt", q.body); return q.paths.map(p => r.isAllowed(u + p, q.agent)) })))`},
		differs: []difference{emptyQuery, partedNames, escapedLetter, emptyGroup, wordsAfterStar},
	},
	{
		name: "google", missing: "KeyError: 'GOOGLE_ROBOTSTXT'", // see testdata/google.cc
		program: []string{"/usr/bin/python3", "-c", `
import ctypes, json, os, sys
allowed = ctypes.CDLL(os.path.abspath(os.environ["GOOGLE_ROBOTSTXT"])).allowed
allowed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_char_p]
allowed.restype = ctypes.c_bool
def answer(q):
    body, agent = q["body"].encode(), q["agent"].encode()
    return [allowed(body, len(body), agent, ("http://e.example" + p).encode()) for p in q["paths"]]
print(json.dumps([answer(q) for q in json.load(sys.stdin)]))`},
		differs: []difference{escapedLetter, smallHex, indexIsFolder},
	},
}

var (
	namesWithin = difference{"a group binds robots of whose name its own is a part (section 2.2.1: equality)", func(q question, _ string) bool {
		lower := strings.ToLower(q.Agent)
		return slices.ContainsFunc(robots.Parse([]byte(q.Body), robots.Std1994).Register().Names(), func(name string) bool {
			return !strings.EqualFold(name, lower) && strings.Contains(lower, strings.ToLower(name))
		})
	}}
	emptyQuery = difference{"a ? at the end of a URL is dropped (section 2.2.2: octets are compared)", func(_ question, path string) bool {
		return strings.HasSuffix(path, "?")
	}}
	partedNames = difference{"a line that is no rule ends the names of a group (section 2.2.1: it is no part of the group's grammar)", func(q question, _ string) bool {
		named := false
		for _, l := range robots.Parse([]byte(q.Body), robots.RFC9309).Lines() {
			switch l.Role {
			case robots.RoleAgent:
				named = true
			case robots.RoleAllow, robots.RoleDisallow:
				named = false
			case robots.RoleBlank, robots.RoleComment:
			default:
				if named {
					return true
				}
			}
		}
		return false
	}}
	dollarInPath = difference{"a $ in a path ends it, as in a pattern (section 2.2.3)", func(_ question, path string) bool {
		return strings.Contains(path, "$")
	}}
	startsWithStar = difference{"a pattern that begins with * is no pattern, or / stands in front (section 2.2.3)", func(q question, _ string) bool {
		return strings.Contains(strings.ReplaceAll(q.Body, " ", ""), ":*")
	}}
	emptyGroup = difference{"a group without rules gives way to that for all (section 2.2.1: only where no group matches)", func(q question, _ string) bool {
		f := robots.Parse([]byte(q.Body), robots.RFC9309)
		return len(f.Rules(q.Agent).List()) == 0 && f.Register().Audience(q.Agent) != ""
	}}
	wordsAfterStar = difference{"* and a word behind it is a name (section 2.2.1: what follows is cut off)", func(q question, _ string) bool {
		return slices.ContainsFunc(robots.Parse([]byte(q.Body), robots.RFC9309).Lines(), func(l robots.Line) bool {
			return l.Role == robots.RoleAgent && strings.HasPrefix(l.Value, "*") && l.Value != "*"
		})
	}}
	indexIsFolder = difference{"a rule that allows /index.html allows / (no section)", func(q question, path string) bool {
		return strings.Trim(path, "/") == "" && strings.Contains(q.Body, "/index.htm")
	}}
	smallHex = difference{"%c3 in a path is not %C3, which patterns are given (section 2.2.2)", func(_ question, path string) bool {
		return lowerHex.MatchString(path)
	}}
	escapedLetter = difference{"an escaped letter is not that letter (section 2.2.2)", func(q question, _ string) bool {
		return strings.Contains(q.Body, "%61") || strings.Contains(q.Body, "%7e") || strings.Contains(q.Body, "%7E")
	}}
)

var lowerHex = regexp.MustCompile(`%([0-9A-F][a-f]|[a-f][0-9A-Fa-f])`)

// excuse says why the answer of an oracle may be another than ours; empty if nothing does.
func (o oracle) excuse(q question, path string) string {
	for _, d := range o.differs {
		if d.matters(q, path) {
			return d.why
		}
	}
	return ""
}

// ask returns the answers of an oracle; the test is skipped where it is not installed.
func (o oracle) ask(t *testing.T, questions []question) (answers [][]bool) {
	t.Helper()
	if _, err := exec.LookPath(o.program[0]); err != nil {
		t.Skipf("%s cannot be asked: %v", o.name, err)
	}
	in, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(o.program[0], o.program[1:]...)
	cmd.Env = append(os.Environ(), "PYTHONIOENCODING=utf-8")
	if home, err := os.UserHomeDir(); err == nil && os.Getenv("NODE_PATH") == "" {
		cmd.Env = append(cmd.Env, "NODE_PATH="+filepath.Join(home, "node_modules"))
	}
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), &said
	out, err := cmd.Output()
	if err != nil && strings.Contains(said.String(), o.missing) {
		t.Skipf("%s is not installed (for Node, NODE_PATH says where)", o.name)
	}
	if err == nil {
		err = json.Unmarshal(out, &answers)
	}
	if err != nil || len(answers) != len(questions) {
		t.Fatalf("%s: %v: %.500s", o.name, err, said.String())
	}
	return answers
}

// TestOracles: parsers that share no code with ours say the same of files that are written as RFC 9309 has it, and of real files.
func TestOracles(t *testing.T) {
	for _, o := range oracles {
		t.Run(o.name, func(t *testing.T) {
			t.Run("generated", func(t *testing.T) { o.judge(t, plainFiles()) })
			t.Run("real", func(t *testing.T) { o.judge(t, robotstest.Real(t)) })
		})
	}
}

// plainFiles are files without damage.
func plainFiles() (files []robotstest.File) {
	r := rand.New(rand.NewPCG(9, 309))
	for len(files) < 150 {
		body := robotstest.Generate(r)
		if utf8.Valid(body) && !slices.ContainsFunc(robots.Parse(body, robots.RFC9309).Lines(), isOdd) {
			files = append(files, robotstest.File{ID: "generated", Body: body})
		}
	}
	return files
}

// isOdd reports whether a line is not as RFC 9309 has it, or one that some take for a User-agent line.
func isOdd(l robots.Line) bool {
	isName := func(c rune) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '-' || c == '_' }
	switch l.Role {
	case robots.RoleAgent:
		return l.Note != "" || l.Value != "*" && strings.ContainsFunc(l.Value, func(c rune) bool { return !isName(c) })
	case robots.RoleInvalid, robots.RoleOther:
		return true
	}
	return l.Note != ""
}

// judge compares the answers of an oracle with ours.
func (o oracle) judge(t *testing.T, files []robotstest.File) {
	var questions []question
	for _, f := range files {
		paths := slices.DeleteFunc(robotstest.Paths(60, f.Body), func(p string) bool { return strings.HasPrefix(p, "/robots.txt") || !isPlainPath(p) })
		for _, agent := range []string{"Googlebot", "bingbot", "cybermapper", "GPTBot", "otherbot"} {
			questions = append(questions, question{string(f.Body), agent, paths})
		}
	}
	asked, excused := 0, map[string]int{}
	for i, answers := range o.ask(t, questions) {
		q := questions[i]
		rules := robots.Parse([]byte(q.Body), robots.RFC9309).Rules(q.Agent)
		for k, theirs := range answers {
			asked++
			v := rules.Test(q.Paths[k])
			if v.Allowed == theirs {
				continue
			}
			why := o.excuse(q, q.Paths[k])
			if why == "" {
				t.Errorf("%s for %s: ours %+v, theirs %v\n%.600q", q.Agent, q.Paths[k], v, theirs, q.Body)
			}
			excused[why]++
		}
	}
	t.Logf("%d verdicts, known differences:", asked)
	for _, why := range slices.Sorted(maps.Keys(excused)) {
		t.Logf("%6d %s", excused[why], why)
	}
}

// isPlainPath reports whether a path is as a crawler asks for it.
func isPlainPath(p string) bool {
	return !strings.ContainsFunc(p, func(c rune) bool { return c <= ' ' || c >= 0x7f || strings.ContainsRune("\"<>[\\]^`{|}#", c) })
}
