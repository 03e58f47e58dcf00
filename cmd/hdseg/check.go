package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hdseg/manifests"
	"hdseg/manifests/raster"
)

type checkResult struct {
	summary
	Faults []manifests.Fault `json:"faults"`
}

func (r *checkResult) table(w io.Writer) error {
	for _, f := range r.Faults {
		if f.Record != "" { // else the message names the file
			fmt.Fprintf(w, "%s: ", f.Record)
		}
		fmt.Fprintf(w, "%s: %s\n", f.Kind, f.Message)
	}
	_, err := fmt.Fprintf(w, "%s, %s\n", plural(r.Read, "record", "records"), plural(len(r.Faults), "fault", "faults"))
	return err
}

func (a *app) checkCommand() *cobra.Command {
	deep := false
	cmd := &cobra.Command{
		Use: "check MANIFEST", Short: "Verify every file of a data set and list all faults",
		Long: `check compares every file with the manifest: digest, size and mask values. It compares the manifest's counts with its
records, and the files of SHA256SUMS with their digests. It proves from provenance that no picture of the test split is
used in training. It also checks the manifests that this one was made from.

--deep also decodes every picture. Any fault makes the exit code 1. Files in images/ and masks/ that no manifest names
are counted in a warning.`,
		Example: "  hdseg check out/horseseg.yaml --deep",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.needManifest("check"); err != nil {
				return err
			}
			s := newSummary("check")
			store, name, err := locate(a.in)
			if err != nil {
				return a.checked(a.in, &checkResult{s, faultsOf(err)}, err)
			}
			show := a.stageProgress("checking pictures and masks")
			faults, err := manifests.Check(cmd.Context(), store, name, manifests.CheckOptions{
				Workers: a.workers, Deep: deep, Format: raster.Sniff, Size: uprightSize, Decode: decodeUpright, DecodeMask: maskAreas,
				Progress: func(done, total int) { s.Read = total; show(done, total) },
			})
			if err != nil {
				return err
			}
			s.Done = s.Read
			if n, first, err := manifests.Unlisted(store); err != nil {
				return err
			} else if n > 0 {
				s.Warnings = append(s.Warnings, fmt.Sprintf("%d files in images/, masks/ and folders of parts belong to no manifest "+
					"in %s, such as %q: interrupted runs or runs with other settings left them", n, manifests.SumsFile, first))
			}
			return a.checked(a.in, &checkResult{s, faults}, nil)
		},
	}
	a.withManifest(cmd)
	cmd.Flags().BoolVar(&deep, "deep", false, "also decode every picture and compare its pixels")
	return cmd
}

// checked reports faults; without any it returns err, why the manifest could not be located.
func (a *app) checked(file string, r *checkResult, err error) error {
	if len(r.Faults) == 0 && err != nil {
		return err
	}
	if r.Faults == nil {
		r.Faults = []manifests.Fault{}
	}
	if err := a.report(r); err != nil {
		return err
	}
	if len(r.Faults) > 0 {
		return fmt.Errorf("%s: %d faults", file, len(r.Faults))
	}
	return nil
}

func faultsOf(err error) (out []manifests.Fault) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			out = append(out, faultsOf(e)...)
		}
		return out
	}
	var f manifests.Fault
	if errors.As(err, &f) {
		out = append(out, f)
	}
	return out
}

func uprightSize(data []byte, orientation int) (width, height int, err error) {
	width, height, err = raster.Size(data)
	if orientation > 4 { // turned by a quarter
		width, height = height, width
	}
	return width, height, err
}

func decodeUpright(data []byte, orientation int) (width, height int, pixels manifests.Digest, err error) {
	img, _, err := raster.Decode(data, raster.DefaultLimits())
	if err != nil {
		return 0, 0, "", err
	}
	img = raster.Orient(img, orientation)
	return img.Width, img.Height, manifests.Sum(img.Pix), nil
}

func maskAreas(data []byte) (width, height, ground, figure, void int, err error) {
	m, err := raster.DecodeMask(data)
	if err != nil {
		return 0, 0, 0, 0, 0, err
	}
	ground, figure, void = m.Areas()
	return m.Width, m.Height, ground, figure, void, nil
}
