package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/cli"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/config"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/exportcmd"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/progress"
	"github.com/cybermapper/cybermapper/cmd/cybermapper/internal/translate"
)

// deadLinks tells of the dead links of a crawl that checks links, once it has come to its end.
func deadLinks(cmd *cobra.Command, o crawlOptions, c config.Config, r *progress.Report) error {
	if !c.Crawl.CheckLinks || r.ExitCode != cli.ExitDone && r.ExitCode != cli.ExitWaiting {
		return nil
	}
	out := cmd.OutOrStdout()
	if o.asJSON {
		out = cmd.ErrOrStderr() // the summary is one JSON value
	}
	return exportcmd.WriteDeadLinks(cmd.Context(), o.job, "text", out, cmd.ErrOrStderr())
}

// printSummary writes how the crawl ended to w.
func printSummary(w io.Writer, r *progress.Report, asJSON bool) error {
	return cli.Tell(w, asJSON, r, func(w io.Writer) { r.Print(w, cli.Language()) })
}

// exitFor returns the error that carries the exit code for the way a run ended, and what to do about it.
func exitFor(r *progress.Report) error {
	switch r.ExitCode {
	case cli.ExitDone:
		return nil
	case cli.ExitLimit:
		return &cli.Error{Code: cli.ExitLimit, Hint: translate.Key("raise the limit to continue the crawl")}
	}
	return &cli.Error{Code: r.ExitCode}
}
