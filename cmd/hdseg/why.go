package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/manifests"
)

type whyResult struct {
	summary
	ID       string                   `json:"id"`
	Records  []*manifests.Explanation `json:"records"`
	Manifest manifests.Stage          `json:"manifest"`
	Lineage  []manifests.Stage        `json:"lineage"`           // what the manifest was made from, its parent first
	Missing  manifests.Digest         `json:"missing,omitempty"` // the first ancestor that the folder does not have

	show bool // the settings too
}

func (r *whyResult) table(w io.Writer) error {
	for _, x := range r.Records {
		explanation(w, x, 0)
	}
	fmt.Fprintln(w, "manifests, the newest first:")
	for _, s := range append([]manifests.Stage{r.Manifest}, r.Lineage...) {
		h := s.Header
		fmt.Fprintf(w, "  %s: stage %s, %s %s, config %s, seed %d, sha256 %s\n", s.Name, h.Stage, h.Tool, h.Version, known(h.Config), h.Seed, s.Digest.Short())
		if s.Settings != "" {
			fmt.Fprintf(w, "    settings in %s\n", s.Settings)
		}
		if r.show {
			for line := range strings.Lines(h.Settings) {
				fmt.Fprintf(w, "      %s", line)
			}
		}
	}
	if r.Missing != "" {
		fmt.Fprintf(w, "  sha256 %s: not in this folder\n", r.Missing.Short())
	}
	return nil
}

func known(d manifests.Digest) string {
	if d == "" {
		return "none"
	}
	return d.Short()
}

// explanation prints a record, its masks, and, further in, the records that voted for them.
func explanation(w io.Writer, x *manifests.Explanation, depth int) {
	in := strings.Repeat("  ", depth)
	r := x.Record
	switch {
	case r == nil && len(x.Skips) == 0:
		fmt.Fprintf(w, "%s%s: not in this manifest\n", in, x.ID)
	case r == nil:
		fmt.Fprintf(w, "%s%s: left out\n", in, x.ID)
	case x.Above:
		fmt.Fprintf(w, "%s%s: see above\n", in, x.ID)
	default:
		fmt.Fprintf(w, "%s%s: %s, %s, %s %d x %d, image sha256 %s", in, x.ID, r.Split, r.Tier, r.Image.Format, r.Image.Width, r.Image.Height, r.Image.SHA256.Short())
		if r.Image.Origin != "" {
			fmt.Fprintf(w, ", from %s", r.Image.Origin)
		}
		fmt.Fprintln(w)
	}
	for _, k := range x.Skips {
		fmt.Fprintf(w, "%s  skipped: %s: %s\n", in, k.Reason, k.Detail)
	}
	for _, o := range x.Masks {
		k := o.Mask
		fmt.Fprintf(w, "%s  mask %s, revision %d, sha256 %s: by %s", in, k.Tier, k.Revision, k.SHA256.Short(), k.WasGeneratedBy)
		if k.WasAttributedTo != "" {
			fmt.Fprintf(w, ", %s", k.WasAttributedTo)
		}
		if k.GeneratedAtTime != "" {
			fmt.Fprintf(w, ", at %s", k.GeneratedAtTime)
		}
		if k.Status != "" {
			fmt.Fprintf(w, ", status %s", k.Status)
		}
		if k.Quality > 0 {
			fmt.Fprintf(w, ", quality %.3f", k.Quality)
		}
		fmt.Fprintln(w)
		var used []string
		for _, d := range k.Used {
			used = append(used, d.Short())
		}
		if len(used) > 0 {
			fmt.Fprintf(w, "%s    used sha256 %s\n", in, strings.Join(used, ", "))
		}
		for _, s := range o.From {
			explanation(w, s, depth+3)
		}
	}
}

func (a *app) whyCommand() *cobra.Command {
	settings := false
	cmd := &cobra.Command{
		Use: "why ID MANIFEST", Short: "Say where a record's masks come from", Args: exactArgs("ID", "MANIFEST"),
		Long: `why prints, for each mask of a record: the activity and the program or person behind it, the inputs by digest, the
images that voted (strongest first, each with the origin of its own masks), and for the manifest and those it was made
from: stage, program version, configuration and seed, and the file of its settings, whose sha256 is the configuration's
(manifests of earlier versions have none). An id that was left out is shown with the reason.`,
		Example: "  hdseg why n02374451_87 out/horseseg.yaml --settings",
		RunE: func(_ *cobra.Command, args []string) error {
			s := newSummary("why")
			file := args[1]
			if !strings.HasSuffix(file, ".yaml") && strings.HasSuffix(args[0], ".yaml") {
				return usagef("hdseg why: got the manifest first, want ID MANIFEST")
			}
			store, m, _, err := manifests.ReadFile(file)
			if err != nil {
				return err
			}
			r := &whyResult{ID: args[0]}
			if r.Records, err = manifests.Why(m, args[0]); err != nil {
				return err
			}
			if _, name, err := manifests.Locate(file); err != nil {
				return err
			} else if r.Manifest, err = manifests.StageOf(store, name); err != nil {
				return err
			}
			if r.Lineage, r.Missing, err = manifests.Lineage(store, m); err != nil {
				return err
			}
			if r.show = settings; settings {
				if err := r.readSettings(store); err != nil {
					return err
				}
			}
			s.Read, s.Done = len(m.Records), len(r.Records)
			r.summary = s
			return a.report(r)
		},
	}
	cmd.Flags().BoolVar(&settings, "settings", false, "also print the settings of every manifest")
	return cmd
}

// readSettings reads the settings that the manifests name.
func (r *whyResult) readSettings(store *manifests.Store) error {
	read := func(s *manifests.Stage) error {
		if s.Settings == "" {
			return nil
		}
		data, err := store.Read(s.Settings, s.Header.Config)
		s.Header.Settings = string(data)
		return err
	}
	if err := read(&r.Manifest); err != nil {
		return err
	}
	for i := range r.Lineage {
		if err := read(&r.Lineage[i]); err != nil {
			return err
		}
	}
	return nil
}
