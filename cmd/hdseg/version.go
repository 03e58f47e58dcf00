package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"hdseg/manifests"
)

type versionResult struct {
	summary
	Revision string `json:"revision,omitempty"` // commit of the build; "+" behind it: with changes
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

func (r *versionResult) table(w io.Writer) error {
	at := ""
	if r.Revision != "" {
		at = "revision " + r.Revision + ", "
	}
	_, err := fmt.Fprintf(w, "hdseg %s (%s%s, %s/%s)\n", r.Version, at, r.Go, r.OS, r.Arch)
	return err
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version, and the commit it was built from", Args: noArgs,
		Example: "  hdseg version --json",
		RunE: func(*cobra.Command, []string) error {
			return a.report(&versionResult{newSummary("version"), manifests.Revision(), runtime.Version(), runtime.GOOS, runtime.GOARCH})
		},
	}
}
