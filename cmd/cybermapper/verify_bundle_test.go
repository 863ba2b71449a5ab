package main

import (
	"archive/zip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
	"github.com/cybermapper/cybermapper/storage/filetest"
)

// TestVerify_BundleAfterAKill: what a killed command left of a bundle is removed when it is written again.
func TestVerify_BundleAfterAKill(t *testing.T) {
	site := webtest.New(t).Site(webtest.Pages{"/": {Body: "<title>front</title>"}})
	dir, to := filepath.Join(t.TempDir(), "job"), t.TempDir()
	filetest.Write(t, filepath.Join(to, "b.zip.11d7jqd4ut71q.tmp"), "PK")
	mustRun(t, "crawl", "--job", dir, "--allow-private", "--quiet", "--delay", "1ms", site.URL+"/")
	mustRun(t, "verify", "--job", dir, "--host", strings.TrimPrefix(site.URL, "http://"), "--bundle", filepath.Join(to, "b.zip"))
	if left, err := filepath.Glob(filepath.Join(to, "*")); err != nil || len(left) != 1 || filepath.Base(left[0]) != "b.zip" {
		t.Errorf("left: %q, %v", left, err)
	}
}

// TestVerify_WhatABundleHasForPeople alters what a bundle has to be read by people, which none of its lines proves. It is not
// proven any more, also when it is said to be from another version.
func TestVerify_WhatABundleHasForPeople(t *testing.T) {
	site := webtest.New(t).Site(webtest.Pages{"/": {Body: "<title>front</title>"}})
	dir, name := filepath.Join(t.TempDir(), "job"), filepath.Join(t.TempDir(), "honest.zip")
	for _, args := range [][]string{
		{"crawl", "--job", dir, "--allow-private", "--quiet", "--delay", "1ms", site.URL + "/"},
		{"verify", "--job", dir, "--host", strings.TrimPrefix(site.URL, "http://"), "--bundle", name},
		{"verify", name},
	} {
		mustRun(t, args...)
	}
	alter := func(file, from, to string) func(files map[string]string) {
		return func(files map[string]string) {
			if !strings.Contains(files[file], from) {
				t.Fatalf("%s does not have %q", file, from)
			}
			files[file] = strings.Replace(files[file], from, to, 1)
		}
	}
	version := alter("bundle.json", `"version": "`, `"version": "9.`)
	for lie, tt := range map[string]struct {
		tell []func(files map[string]string)
		code int
		what string
	}{
		"another page":                       {[]func(map[string]string){alter("certificate.html", "</body>", "<p>All is well.</body>")}, cli.ExitFailure, "certificate.html"},
		"another page, of another version":   {[]func(map[string]string){alter("certificate.html", "</body>", "<p>All is well.</body>"), version}, cli.ExitNotShown, "certificate.html"},
		"another README":                     {[]func(map[string]string){alter("README.txt", "sha256sum -c", "true")}, cli.ExitFailure, "README.txt"},
		"another README, of another version": {[]func(map[string]string){alter("README.txt", "sha256sum -c", "true"), version}, cli.ExitNotShown, "README.txt"},
		"another version":                    {[]func(map[string]string){version}, 0, "proven"},
	} {
		t.Run(lie, func(t *testing.T) {
			told := filepath.Join(t.TempDir(), "told.zip")
			retellBundle(t, name, told, tt.tell)
			if code, out := runArgs(t, "verify", told); code != tt.code || !strings.Contains(out, tt.what) {
				t.Errorf("exit code %d, want %d and %s\n%s", code, tt.code, tt.what, out)
			}
		})
	}
}

// TestBundle_ByHand lets a stranger follow README.txt word by word, in an empty directory with nothing but a bundle: an honest
// one, and ones in which a file was altered.
func TestBundle_ByHand(t *testing.T) {
	if testing.Short() {
		t.Skip("does one thing after the other")
	}
	t.Parallel()
	for _, tool := range []string{"bash", "sha256sum", "python3", "openssl", "base64"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	site := webtest.New(t).Site(webtest.Pages{"/": {Body: "<title>front</title>"}, "/robots.txt": {Body: "User-agent: *\nCrawl-delay: 0.1\n"}})
	scratch := t.TempDir()
	dir, name, key := filepath.Join(scratch, "job"), filepath.Join(scratch, "honest.zip"), filepath.Join(scratch, "my.key")
	_, verifier, _ := strings.Cut(mustRun(t, "key", "new", "--name", "crawler.example", key), "verifier")
	verifier, _, _ = strings.Cut(strings.TrimSpace(verifier), "\n")
	mustRun(t, "crawl", "--job", dir, "--allow-private", "--quiet", "--delay", "1ms", site.URL+"/")
	mustRun(t, "verify", "--job", dir, "--host", strings.TrimPrefix(site.URL, "http://"), "--bundle", name, "--key", key)
	mustRun(t, "verify", name) // proven, though the run did not name the key
	mustRun(t, "verify", "--job", dir)
	mustRun(t, "verify", name, "--operator-key", verifier)

	altered := ""
	for file, tt := range map[string]struct {
		tell func(data string) string
		says string
	}{
		"":            {nil, "Signature Verified Successfully"},
		"lines.jsonl": {func(s string) string { return strings.Replace(s, `"status":200`, `"status":404`, 1) }, "was altered"},
		"proof.txt":   {lastDigit, "NOT AS the checkpoint says"},
		"checkpoints": {func(s string) string { return strings.Replace(s, "crawler.example/", "crawler.example/0", 1) }, "Signature Verification Failure"},
		"robots/":     {func(s string) string { return s + "#" }, "FAILED"},
	} {
		told := filepath.Join(t.TempDir(), "told.zip")
		retellBundle(t, name, told, []func(map[string]string){func(files map[string]string) {
			for f := range files {
				if tt.tell != nil && strings.HasPrefix(f, file) {
					files[f], altered = tt.tell(files[f]), f
				}
			}
		}})
		out := byHand(t, told, verifier)
		if !strings.Contains(out, tt.says) {
			t.Errorf("%s altered: want %q\n%s", altered, tt.says, out)
		}
		if tt.tell == nil && (strings.Contains(out, "altered") || strings.Contains(out, "NOT AS") || strings.Contains(out, "FAILED")) {
			t.Errorf("the honest one: %s", out)
		}
	}
}

// lastDigit alters the hexadecimal digit at the end of a file.
func lastDigit(data string) string {
	data = strings.TrimSpace(data)
	if rest, isZero := strings.CutSuffix(data, "0"); isZero {
		return rest + "1\n"
	}
	return data[:len(data)-1] + "0\n"
}

// byHand unpacks a bundle into an empty directory and does what its README.txt says, without the program.
func byHand(t *testing.T, bundle, verifier string) string {
	t.Helper()
	dir := t.TempDir()
	z, err := zip.OpenReader(bundle)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	_, hand, found := strings.Cut(mustRead(t, filepath.Join(dir, "README.txt")), "by hand.")
	var all strings.Builder
	for block := range strings.SplitSeq(hand, "\n\n") {
		var script strings.Builder
		for line := range strings.Lines(block + "\n") {
			if text, ok := strings.CutPrefix(line, "     "); ok && !strings.HasPrefix(text, "cybermapper ") {
				script.WriteString(text)
			}
		}
		if script.Len() == 0 {
			continue
		}
		cmd := exec.Command("bash", "-c", strings.ReplaceAll(script.String(), "NAME+HASH+KEY", verifier))
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput() // what fails says so
		all.Write(out)
	}
	if !found {
		t.Error("README.txt does not say how to check by hand")
	}
	return all.String()
}

// retellBundle writes a bundle with other files.
func retellBundle(t *testing.T, from, to string, tell []func(files map[string]string)) {
	t.Helper()
	z, err := zip.OpenReader(from)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := map[string]string{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(data)
	}
	for _, change := range tell {
		change(files)
	}
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	w := zip.NewWriter(out)
	for name, data := range files {
		f, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(f, data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	filetest.Close(t, w)
}
