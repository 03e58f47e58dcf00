package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/demo"
	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
)

func (a *app) demoCommand() *cobra.Command {
	o, out := demo.Defaults(), ""
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Draw a small world in the layouts of the real sources and build a data set from it",
		Long: `demo draws four-legged figures on cluttered grounds as a VOC devkit, an ImageNet synset tar with a box
archive, and a folder of test masks, and runs on them the same build as real archives get. It shows that
everything works and what the output looks like; its figures say nothing about real images.`,
		Example: `  hdseg demo
  hdseg demo --class dog -o /tmp/dogs`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return &usageError{err}
			}
			e, err := configs.Load(o.Class + "seg")
			if err != nil {
				return err
			}
			sources := filepath.Join(out, "sources")
			w, err := demo.Draw(sources, o, a.stageProgress("draw"))
			if err != nil {
				return err
			}
			return a.build(cmd, "demo", pipeline.Request{
				Experiment: e, VOC: []string{w.VOCDir}, ImageNet: []string{w.ImageNetTar}, Boxes: []string{w.BoxesTar},
				Test: w.TestDir, Out: filepath.Join(out, "dataset"),
			})
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "hdseg-demo", "folder for the drawn sources and the data set")
	cmd.Flags().StringVar(&o.Class, "class", o.Class, "horse or dog")
	cmd.Flags().BoolVar(&o.Faults, "faults", false, "plant faults in the sources, to see what a build makes of them")
	return cmd
}
