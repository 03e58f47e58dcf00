package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/configs"
	"hdseg/ingest"
	"hdseg/manifests"
)

// input reads the manifest and returns the store that it lies in.
func (a *app) input(command string) (*manifests.Store, *manifests.Manifest, manifests.Digest, error) {
	if err := a.needManifest(command); err != nil {
		return nil, nil, "", err
	}
	store, m, digest, err := manifests.ReadFile(a.in)
	if err == nil {
		err = a.ownFiles(store, m)
	}
	return store, m, digest, err
}

// needManifest refuses a command without its manifest.
func (a *app) needManifest(command string) error {
	if a.in == "" {
		return usagef("hdseg %s: the manifest is missing: name one, such as out/horseseg.yaml", command)
	}
	return nil
}

// A dataset is a manifest and the store that it lies in.
type dataset struct {
	store  *manifests.Store
	m      *manifests.Manifest
	digest manifests.Digest
}

func (a *app) dataset(command string) (*dataset, error) {
	store, m, digest, err := a.input(command)
	return &dataset{store, m, digest}, err
}

// outputName returns the manifest name of -o, which must lie in the input's store.
func (a *app) outputName(command string, store *manifests.Store) (string, error) {
	if a.out == "" {
		return "", usagef("hdseg %s: -o is missing: name the manifest to write, such as out/stages/%s.yaml", command, command)
	}
	dir, err := filepath.Abs(store.Dir())
	if err != nil {
		return "", err
	}
	file, err := filepath.Abs(a.out)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(dir, file)
	name, ok := strings.CutSuffix(filepath.ToSlash(rel), ".yaml")
	if err != nil || !ok || !filepath.IsLocal(rel) {
		return "", usagef("-o %s: want a .yaml file in %s, the folder of the data set", a.out, store.Dir())
	}
	in, err := filepath.Abs(a.in)
	if err != nil {
		return "", err
	}
	if in == file {
		return "", usagef("-o %s: is the input, which is never changed: name another file", a.out)
	}
	return name, a.outFiles(nil, out{"-o", a.out, manifestFile})
}

// replaces refuses to put another manifest than one made from the input out of the way.
func (a *app) replaces(input manifests.Digest) error {
	if _, err := os.Stat(a.out); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_, old, _, err := manifests.ReadFile(a.out)
	if err == nil && old.Parent == input {
		return nil
	}
	if err == nil {
		err = errors.New("was made from another manifest than the input")
	}
	return fmt.Errorf("%s: %w: name another -o, or remove it first", a.out, err)
}

// A stageResult is what a stage that writes a manifest prints.
type stageResult struct {
	summary
	Manifest string        `json:"manifest"`
	Records  []recordCount `json:"records"`
}

func (r *stageResult) table(w io.Writer) error {
	countTable(w, r.Records)
	_, err := fmt.Fprintln(w, "manifest", r.Manifest)
	return err
}

func (a *app) splitCommand() *cobra.Command {
	strict := false
	cmd := &cobra.Command{
		Use: "split MANIFEST", Short: "Remove test pictures from the training split",
		Long: `split compares training with the test split: by id, by the bytes of the files and by the decoded pixels. Every
training record that is also a test record is removed and listed as skipped (in_test). With --strict it is an error.`,
		Example: "  hdseg split out/stages/ingest.yaml -o out/stages/split.yaml",
		RunE: func(*cobra.Command, []string) error {
			store, m, digest, err := a.input("split")
			if err != nil {
				return err
			}
			name, err := a.outputName("split", store)
			if err != nil {
				return err
			}
			out, overlaps, err := ingest.Split(m, strict)
			if err != nil {
				return err
			}
			out.Parent = digest
			out.Configure(configs.Canonical("split", strict))
			if _, err := manifests.WriteListed(store, name, out); err != nil {
				return err
			}
			s := newSummary("split")
			s.Read, s.Done = len(m.Records), len(out.Records)
			for _, o := range overlaps {
				s.skip([]manifests.Skip{{Record: o.Train, Reason: ingest.InTest,
					Detail: fmt.Sprintf("the test record %s has the same %s", o.Test, o.By)}})
			}
			return a.report(&stageResult{s, a.out, recordCounts(out)})
		},
	}
	a.withManifest(cmd)
	a.withOut(cmd, "manifest to write, in the same folder (required)")
	cmd.Flags().BoolVar(&strict, "strict", false, "an overlap is an error")
	return cmd
}
