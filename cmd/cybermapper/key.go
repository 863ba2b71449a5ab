package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/job"
	"github.com/cybermapper/cybermapper/storage/checkpoint"
)

// A keyReport is what there is to know of a key in public.
type keyReport struct {
	Name        string `json:"name"`
	Verifier    string `json:"verifier"` // who has it can check what was signed
	Fingerprint string `json:"fingerprint"`
}

func newKeyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key",
		Short: "Make or show the key that signs what a crawl has written down",
		Long: `Makes the key of an operator, or shows its public part. A crawl that is given
the key (evidence.key in the configuration) signs checkpoints of its ledger
with it: at the end of a run and every hour. Whoever kept one can tell later
whether the ledger was rewritten; see help evidence. Without a key a crawl works
as well.
`,
		RunE: cli.RunGroup,
	}
	cmd.AddCommand(newKeyNewCommand(), newKeyShowCommand())
	return cmd
}

func newKeyNewCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "new FILE",
		Short: "Make a key",
		Long: `Makes an Ed25519 key and writes its secret part to FILE, which must not exist and
must not lie in a job directory: a job may be given away. Keep FILE to yourself,
and a copy of it in another place. --name is a name that nobody else has: that
of a host of yours, with a path perhaps.

Exit codes:
  0    done
  1    the file could not be written
  2    wrong usage
`,
		Example: "  cybermapper key new --name crawler.you.example cybermapper.key",
		Args:    cli.Exactly(1, "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return newKey(cmd, name, args[0])
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the key: a host of yours, with a path perhaps")
	return cmd
}

func newKeyShowCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "Show the public part of a key",
		Long: `Shows what to publish of the key in FILE: the verifier, in the form of signed
notes (golang.org/x/mod/sumdb/note), and its fingerprint, to compare by eye.

Exit codes:
  0    done
  2    wrong usage, or no key
`,
		Example: "  cybermapper key show cybermapper.key",
		Args:    cli.Exactly(1, "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := checkpoint.ReadKey(args[0])
			if err != nil {
				return cli.UsageError("cybermapper key new makes one", "%w", err)
			}
			return showKey(cmd, k, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// newKey writes a key to a file, and shows its public part.
func newKey(cmd *cobra.Command, name, file string) error {
	if name == "" {
		return cli.UsageError("--name crawler.you.example", "a key needs a name")
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(file), job.ConfigFile)); err == nil {
		return cli.UsageError("choose another place", "%s is in a job directory, which may be given away", file)
	}
	secret, err := checkpoint.GenerateKey(name)
	if err != nil {
		return cli.UsageError("", "%w", err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return cli.WithHint(fmt.Errorf("write key: %w", err), "a key is never written over another file")
	}
	_, err = f.WriteString(secret)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write key: %w", err)
	}
	k, err := checkpoint.ReadKey(file)
	if err != nil {
		return err
	}
	return showKey(cmd, k, false)
}

// reportKey returns what there is to know of a key in public.
func reportKey(k *checkpoint.Key) *keyReport {
	return &keyReport{k.Name, k.Verifier, checkpoint.Fingerprint(k.Verifier)}
}

func showKey(cmd *cobra.Command, k *checkpoint.Key, asJSON bool) error {
	r := reportKey(k)
	if asJSON {
		return cli.EncodeJSON(cmd.OutOrStdout(), r)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "name         %s\nverifier     %s\nfingerprint  %s\n", r.Name, r.Verifier,
		r.Fingerprint)
	return err
}
