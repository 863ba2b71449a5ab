package main

import (
	"io"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/engine"
	"github.com/cybermapper/cybermapper/robots/accesslog/signature"
)

// A signatureKey is what site owners may know of the key that requests are signed with.
type signatureKey struct {
	ID        string `json:"keyid"` // as in Signature-Input
	Directory string `json:"directory,omitempty"`
}

// writeDirectory writes the directory of the key that signs requests to a file, or for - to w.
func writeDirectory(a config.Agent, file string, w io.Writer) error {
	if a.SignatureKey == "" {
		return cli.UsageError("agent.signature_key in the configuration names one", "no key signs requests")
	}
	k, err := engine.ReadKey("agent.signature_key", a.SignatureKey)
	if err != nil {
		return err
	}
	return cli.WriteFile(w, file, signature.FormatKeys(k.Public()))
}
