package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/crawler/webtest"
)

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
		var out bytes.Buffer
		if code := run(t.Context(), args, nil, &out, &out); code != 0 {
			t.Fatalf("%q: exit code %d\n%s", args, code, &out)
		}
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
			var out bytes.Buffer
			if code := run(t.Context(), []string{"verify", told}, nil, &out, &out); code != tt.code || !strings.Contains(out.String(), tt.what) {
				t.Errorf("exit code %d, want %d and %s\n%s", code, tt.code, tt.what, &out)
			}
		})
	}
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
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
