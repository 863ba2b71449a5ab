package audit

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/robots/accesslog/audit"
	"github.com/cybermapper/cybermapper/robots/accesslog/errorlog"
	"github.com/cybermapper/cybermapper/robots/accesslog/strain"
	"github.com/cybermapper/cybermapper/storage/ctxio"
)

// maxLoad is how long a file of measurements may be.
const maxLoad = 64 << 20

// checkLoad says when measurements tell nothing of the log.
func checkLoad(samples []strain.Sample, r *audit.Report) error {
	if len(samples) == 0 || r.HasLoad || r.Total.Requests == 0 {
		return nil
	}
	return cli.WithHint(errors.New("--load: nothing in it was measured during the log"), "times without a zone are taken for UTC")
}

// readErrorLogs reads the error logs, perhaps compressed; nil without one.
func readErrorLogs(cmd *cobra.Command, names []string) (*errorlog.Log, error) {
	if len(names) == 0 {
		return nil, nil
	}
	log := errorlog.New()
	for _, name := range names {
		in, err := cli.OpenInput(cmd, name)
		if err != nil {
			return nil, err
		}
		text := &lazyText{in: ctxio.Reader(cmd.Context(), in), name: name}
		before := log.Lines - log.Malformed
		if err := errors.Join(log.Read(text), in.Close()); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if log.Malformed > 0 && log.Lines-log.Malformed == before {
			return nil, cli.UsageError("give access logs without --error-log",
				"--error-log %s: none of its lines is of an error log of nginx or Apache", name)
		}
	}
	return log, nil
}
