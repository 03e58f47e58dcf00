package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"
)

type versionResult struct {
	summary
	Go   string `json:"go"`
	OS   string `json:"os"`
	Arch string `json:"arch"`
}

func (r *versionResult) table(w io.Writer) error {
	_, err := fmt.Fprintf(w, "hdseg %s (%s, %s/%s)\n", r.Version, r.Go, r.OS, r.Arch)
	return err
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArgs,
		Example: "  hdseg version --json",
		RunE: func(*cobra.Command, []string) error {
			return a.report(&versionResult{newSummary("version"), runtime.Version(), runtime.GOOS, runtime.GOARCH})
		},
	}
}
