package engine

import (
	"fmt"
	"net/http"
	"time"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/robots/accesslog/signature"
	"github.com/cybermapper/cybermapper/storage/checkpoint"
)

// signRequests returns what signs requests (Web Bot Auth), nil when there is no key for that.
func signRequests(a config.Agent) (func(host string) http.Header, error) {
	if a.SignatureKey == "" {
		return nil, nil
	}
	key, err := ReadKey("agent.signature_key", a.SignatureKey)
	if err != nil {
		return nil, err
	}
	s := &signature.Signer{Key: key.Public(), Sign: key.Sign, Agent: a.DirectoryHost()}
	return func(host string) http.Header { return s.Fields(host, time.Now()) }, nil
}

// ReadKey reads the key of the file that a setting names.
func ReadKey(setting, file string) (*checkpoint.Key, error) {
	key, err := checkpoint.ReadKey(file)
	if err != nil {
		return nil, &cli.Error{Code: cli.ExitConfig, Err: fmt.Errorf("%s: %w", setting, err), Hint: "cybermapper key new makes one"}
	}
	return key, nil
}
