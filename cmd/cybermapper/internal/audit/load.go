package audit

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
)

// maxLoad is how long a file of measurements may be.
const maxLoad = 64 << 20

// readLoad reads what was measured of the server; nothing without a file.
func readLoad(cmd *cobra.Command, name string) ([]strain.Sample, error) {
	if name == "" {
		return nil, nil
	}
	data, err := cli.ReadInput(cmd, name, maxLoad)
	if err != nil {
		return nil, err
	}
	samples, err := strain.ParseLoad(data)
	if err != nil {
		return nil, cli.UsageError("", "--load %s: %w", name, err)
	}
	return samples, nil
}

// checkLoad says when measurements tell nothing of the log.
func checkLoad(samples []strain.Sample, r *audit.Report) error {
	if len(samples) == 0 || r.HasLoad || r.Total.Requests == 0 {
		return nil
	}
	return cli.WithHint(errors.New("--load: nothing in it was measured during the log"), "times without a zone are taken for UTC")
}
