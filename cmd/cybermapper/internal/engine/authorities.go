package engine

import (
	"crypto/x509"
	"fmt"
	"os"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
)

// HasAuthorities reports whether the system knows anybody who may vouch for servers. A container often has nobody: then each site
// that speaks https seems to have a bad certificate.
func HasAuthorities() bool {
	pool, err := x509.SystemCertPool()
	return err == nil && !pool.Equal(x509.NewCertPool())
}

// authoritiesOf returns who may vouch for servers: the system's authorities and those of a PEM file. It is nil, which means the
// system's, when there is no file.
func authoritiesOf(name string) (*x509.CertPool, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, &cli.Error{Code: cli.ExitConfig, Err: fmt.Errorf("read certificate authorities: %w", err),
			Hint: "--ca, or fetch.ca_file, names a PEM file"}
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // a system without any
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, &cli.Error{Code: cli.ExitConfig, Err: fmt.Errorf("%s holds no certificate", name),
			Hint: "--ca, or fetch.ca_file, names a PEM file"}
	}
	return pool, nil
}
