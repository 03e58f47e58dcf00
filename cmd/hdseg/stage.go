package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
	"hdseg/ingest"
	"hdseg/manifests"
)

// input reads the data set of the manifest.
func (a *app) input() (*pipeline.Dataset, error) {
	if err := a.needManifest(); err != nil {
		return nil, err
	}
	set, err := a.readManifest(a.in)
	if err == nil {
		err = a.ownFiles(set.Store)
	}
	return set, err
}

// readManifest reads a manifest by the file that a person named. It warns where nothing tells
// whether the index was edited.
func (a *app) readManifest(file string) (*pipeline.Dataset, error) {
	store, name, err := locate(file)
	if err != nil {
		return nil, err
	}
	m, digest, err := manifests.Read(store, name)
	if base, ok := strings.CutSuffix(file, ".yaml"); ok && err != nil && !exists(base+".d") && !exists(filepath.Join(store.Dir(), "images")) {
		err = fmt.Errorf("%w\n%s was copied alone: it needs the files of its data set beside it; copy the whole folder, or use "+
			"hdseg push and pull", err, file)
	}
	if why := manifests.Unheld(store, name); err == nil && why != "" {
		a.warn(fmt.Sprintf("%s: %s", store.Dir(), why))
	}
	return &pipeline.Dataset{Store: store, Name: name, Manifest: m, Digest: digest}, err
}

// locate is manifests.Locate of a file that a person named.
func locate(file string) (*manifests.Store, string, error) {
	if err := wants(file, "manifest"); err != nil {
		return nil, "", err
	}
	return manifests.Locate(file)
}

// needManifest refuses a command without its manifest.
func (a *app) needManifest() error {
	if a.in == "" {
		return usagef("hdseg %s: the manifest is missing: name one, such as out/horseseg.yaml", a.Command)
	}
	return nil
}

// outputName returns the manifest name of -o, which must lie in the input's store. It keeps builds
// out of that until the command ends.
func (a *app) outputName(store *manifests.Store) (string, error) {
	dir, err1 := filepath.Abs(store.Dir())
	file, err2 := filepath.Abs(a.out)
	in, err3 := filepath.Abs(a.in)
	rel, err4 := filepath.Rel(dir, file)
	name, ok := strings.CutSuffix(filepath.ToSlash(rel), ".yaml")
	switch {
	case cmp.Or(err1, err2, err3, err4) != nil || !ok || !filepath.IsLocal(rel):
		return "", usagef("-o %s: want a .yaml file in %s, the folder of the data set", a.out, store.Dir())
	case in == file:
		return "", usagef("-o %s: is the input, which is never changed: name another file", a.out)
	}
	if err := a.outFiles(nil, out{"-o", a.out, manifestFile}); err != nil {
		return "", err
	}
	var err error
	a.release, err = manifests.Join(store.Dir())
	return name, err
}

// replacement is outputName where no other manifest may be put out of the way than one made from
// the input, or one of the stage again, which is made anew from all that it was made from; "" for
// none.
func (a *app) replacement(set *pipeline.Dataset, again string) (string, error) {
	name, err := a.outputName(set.Store)
	if err != nil || !exists(a.out) {
		return name, err
	}
	_, old, _, err := manifests.ReadFile(a.out)
	if err == nil && old.Parent != set.Digest && (again == "" || old.Stage != again) {
		err = errors.New("was made from another manifest than the input")
	}
	if err != nil {
		err = fmt.Errorf("%s: %w: name another -o, or remove it first", a.out, err)
	}
	return name, err
}

// A stageResult is what a stage that writes a manifest prints.
type stageResult struct {
	summary
	Manifest string        `json:"manifest"`
	Records  []recordCount `json:"records"`
}

func (r *stageResult) table(w *bytes.Buffer) {
	countTable(w, r.Records)
	fmt.Fprintln(w, "manifest", r.Manifest)
}

// writeStage writes the manifest that a stage made of a data set, under a name in its store, and
// reports it. settings are all that it depends on.
func (a *app) writeStage(set *pipeline.Dataset, name string, out *manifests.Manifest, settings []byte) error {
	out.Parent = set.Digest
	out.Configure(settings)
	if _, err := manifests.WriteListed(set.Store, name, out); err != nil {
		return err
	}
	return a.report(&stageResult{Manifest: a.out, Records: recordCounts(out)})
}

func (a *app) splitCommand() *cobra.Command {
	var split splitFlags
	cmd := &cobra.Command{
		Use: "split MANIFEST", Short: "Remove test pictures from the training split",
		Long: `split compares training with the test split: by id, by the bytes of the files and by the decoded pixels. Every
training record that is also a test record is removed and listed as skipped (in_test). With --strict it is an error.

A data set without test records can hold some out: --test-share 0.2 moves a fifth of the pictures with manual masks to the
test split, near duplicates together.`,
		Example: `  hdseg split out/stages/ingest.yaml -o out/stages/split.yaml
  hdseg split out/stages/ingest.yaml --test-share 0.2 -o out/stages/split.yaml`,
		RunE: func(*cobra.Command, []string) error {
			o, err := split.options(0)
			if err != nil {
				return err
			}
			set, err := a.input()
			if err != nil {
				return err
			}
			name, err := a.outputName(set.Store)
			if err != nil {
				return err
			}
			p, err := ingest.Split(set.Manifest, o)
			if err != nil {
				return err
			}
			a.Read, a.Done, a.listed = len(set.Manifest.Records), len(p.Manifest.Records), "the manifest "+a.out
			for _, o := range p.Overlaps {
				a.skip(manifests.Skip{Record: o.Train, Reason: ingest.InTest,
					Detail: fmt.Sprintf("the test record %s has the same %s", o.Test, o.By)})
			}
			return a.writeStage(set, name, p.Manifest, pipeline.SplitSettings(o))
		},
	}
	a.withManifest(cmd)
	a.withOut(cmd, "manifest to write, in the same folder (required)")
	split.add(cmd)
	return cmd
}

// splitFlags are the flags of split and build that part a data set.
type splitFlags struct {
	strict    bool
	testShare string
}

func (s *splitFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.strict, "strict", false, "a training image that is also in the test split is an error")
	cmd.Flags().StringVar(&s.testShare, "test-share", "", "share of the pictures with manual masks that is held out as the test "+
		"split where the sources have none, as 0.2 or 20%; 0: none")
}

// options reads the flags; testShare is the config's.
func (s *splitFlags) options(testShare float64) (o ingest.SplitOptions, err error) {
	o = ingest.SplitOptions{Strict: s.strict, TestShare: testShare}
	if s.testShare != "" {
		o.TestShare, err = share(s.testShare)
	}
	if err != nil || o.Validate() != nil {
		return o, usagef("--test-share %s: want a share from 0 to below 1, such as 0.2 or 20%%", s.testShare)
	}
	return o, nil
}
