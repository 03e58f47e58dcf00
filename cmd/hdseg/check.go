package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"hdseg/annotate/campaign"
	"hdseg/cmd/internal/pipeline"
	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/raster"
	"hdseg/transfer"
)

type checkResult struct {
	summary
	Faults []manifests.Fault `json:"faults"`
	// what mends them: commands, where there are such
	Remedies []string `json:"remedies"`
	Unlisted int      `json:"unlisted"` // files that no manifest names
	Pruned   int      `json:"pruned"`   // of them, files that --prune removed
}

func (r *checkResult) table(w *bytes.Buffer) {
	for _, f := range r.Faults {
		if f.Record != "" { // else the message names the file
			fmt.Fprintf(w, "%s: ", f.Record)
		}
		fmt.Fprintf(w, "%s: %s\n", f.Kind, f.Message)
	}
	for _, line := range r.Remedies {
		fmt.Fprintf(w, "to mend this: %s\n", line)
	}
	if r.Pruned > 0 {
		fmt.Fprintf(w, "removed %s\n", plural(r.Pruned, "file", "files"))
	}
	fmt.Fprintf(w, "%s, %s\n", plural(r.Read, "record", "records"), plural(len(r.Faults), "fault", "faults"))
}

func (a *app) checkCommand() *cobra.Command {
	deep, prune, yes := false, false, false
	cmd := &cobra.Command{
		Use: "check MANIFEST", Short: "Verify every file of a data set and list all faults",
		Long: `check compares every file with the manifest: digest, size and mask values. It compares the manifest's counts with its
records, and the files of SHA256SUMS with their digests. It proves from provenance that no picture of the test split is
used in training. It also checks the manifests that this one was made from.

It compares features, models, experts and logs of annotation with what was written, and says what mends the faults.

--deep also decodes every picture. Any fault makes the exit code 1. Files in images/ and masks/ that no manifest names
are counted in a warning. --prune removes them and their lines in SHA256SUMS, while no other hdseg works in the folder.
Masks of annotation campaigns stay.`,
		Example: "  hdseg check out/horseseg.yaml --deep\n  hdseg check out/horseseg.yaml --prune --yes",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.needManifest(); err != nil {
				return err
			}
			if yes && !prune {
				return usagef("--yes: is for --prune, and check removes nothing without it")
			}
			store, name, err := locate(a.in)
			if err != nil {
				r := &checkResult{Faults: faultsOf(err)}
				if len(r.Faults) == 0 {
					return err
				}
				// a data set has the name of its last manifest
				r.remedy(a.in, filepath.Dir(a.in), strings.TrimSuffix(filepath.Base(a.in), ".yaml"))
				return a.checked(a.in, r)
			}
			r := new(checkResult)
			drawn, err := a.look(cmd.Context(), r, store, name, deep)
			if err != nil {
				return err
			}
			if err = a.unlisted(r, store, name, drawn, prune, yes); err == nil && prune && r.has(manifests.FaultSurplus) {
				_, err = a.look(cmd.Context(), r, store, name, deep)
			}
			if err != nil {
				return err
			}
			if len(r.Faults) > 0 {
				pipeline.Forget(store) // what a disk lost shows in no size or time
			}
			dataset := path.Base(name) // of the last stage
			if st, err := manifests.StageOf(store, name); err == nil {
				dataset = st.Header.Dataset
			}
			r.remedy(a.in, store.Dir(), dataset)
			return a.checked(a.in, r)
		},
	}
	a.withManifest(cmd)
	cmd.Flags().BoolVar(&deep, "deep", false, "also decode every picture and compare its pixels")
	cmd.Flags().BoolVar(&prune, "prune", false, "remove the files in images/ and masks/ that no manifest names, after asking")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask before --prune removes files")
	return cmd
}

// look lists all faults of a data set. drawn are the masks of its campaigns.
func (a *app) look(ctx context.Context, r *checkResult, store *manifests.Store, name string, deep bool) (drawn map[string]bool, err error) {
	drawn, bad := campaign.CheckLogs(store)
	show := a.stageProgress("checking pictures and masks")
	r.Faults, err = manifests.Check(ctx, store, name, manifests.CheckOptions{
		Workers: a.workers, Deep: deep, Spare: drawn, Format: raster.Sniff, Size: uprightSize, Decode: decodeUpright,
		DecodeMask: maskAreas, Progress: func(done, total int) { a.Read = total; show(done, total) },
	})
	if err != nil {
		return nil, err
	}
	a.Done = a.Read
	r.Faults = append(r.Faults, pipeline.CheckOutputs(store)...)
	for _, err := range bad {
		r.Faults = append(r.Faults, manifests.Fault{Kind: manifests.FaultLog, Message: err.Error()})
	}
	return drawn, nil
}

// has tells whether there is a fault of a kind.
func (r *checkResult) has(kind string) bool {
	return slices.ContainsFunc(r.Faults, func(f manifests.Fault) bool { return f.Kind == kind })
}

// unlisted counts the files that no manifest names, or removes them and their lines in SHA256SUMS,
// but for masks drawn in campaigns.
func (a *app) unlisted(r *checkResult, store *manifests.Store, name string, drawn map[string]bool, prune, yes bool) error {
	if prune { // from before files are counted
		release, err := manifests.Occupy(store.Dir())
		if err != nil {
			return err
		}
		defer release()
	}
	if i := slices.IndexFunc(r.Faults, func(f manifests.Fault) bool { return f.Kind == manifests.FaultLog }); i >= 0 {
		if prune {
			return fmt.Errorf("--prune: %s: which masks it needs is not known", r.Faults[i].Message)
		}
		return nil // nothing can be said of leftovers
	}
	files, keepers, err := manifests.Unnamed(store, drawn)
	if len(keepers) > 0 {
		a.warn(fmt.Sprintf("%s: no manifest here, but it names pictures and masks: they are kept; --prune removes them once it is gone",
			format.Some(keepers, 3)))
	}
	if err != nil && !prune {
		a.warn(err.Error())
		return nil
	}
	r.Unlisted = len(files)
	switch {
	case err != nil || len(files) == 0 && !(prune && r.has(manifests.FaultSurplus)):
		return err
	case prune:
		return a.prune(r, store, name, files, yes)
	default:
		a.warn(fmt.Sprintf("%d files in images/, masks/ and folders of parts belong to no manifest "+
			"here, such as %q: interrupted runs or runs with other settings left them; --prune removes them", len(files), files[0]))
		return nil
	}
}

// prune removes files, after asking unless yes is set, and the lines in SHA256SUMS of what is gone.
func (a *app) prune(r *checkResult, store *manifests.Store, name string, files []string, yes bool) error {
	if r.has(manifests.FaultSums) {
		return fmt.Errorf("--prune: %s has faults, and says which files are needed: mend it first (hdseg check without --prune)",
			filepath.Join(store.Dir(), manifests.SumsFile))
	}
	if !yes && len(files) > 0 {
		if !term.IsTerminal(int(os.Stdin.Fd())) {
			return usagef("--prune: would remove %s, such as %s, and there is no terminal to ask on: add --yes",
				plural(len(files), "file", "files"), files[0])
		}
		a.endProgress()
		fmt.Fprintf(a.stderr, "remove %s, such as %s? [y/N] ", plural(len(files), "file", "files"), files[0])
		answer := ""
		if fmt.Fscanln(os.Stdin, &answer); !strings.EqualFold(answer, "y") && !strings.EqualFold(answer, "yes") {
			return nil
		}
	}
	for _, p := range files {
		file, err := store.Path(p)
		if err == nil {
			err = os.Remove(file)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		r.Pruned++
	}
	m, _, err := manifests.Read(store, name)
	if err == nil {
		_, err = manifests.WriteListed(store, name, m) // without the lines of what is gone
	}
	return err
}

var (
	// outFlag is -o and its value in a command as shellLine writes it.
	outFlag = regexp.MustCompile(`( -o[ =]?| --out[ =])('[^']*'(\\''[^']*')*|[^ ']+)`)
	// jsonFlag makes what a command prints no text for who reads advice.
	jsonFlag = regexp.MustCompile(` --json(=[a-z]+)?( |$)`)
	// aManifest is a manifest, or a folder of its parts, in the message of a fault.
	aManifest = regexp.MustCompile(`([^\s:"]+?)(?:\.d/[^\s:"]*|\.yaml)`)
	// aMask is a mask in it.
	aMask = regexp.MustCompile(`masks/[^\s:"]+`)
)

// rebuild returns the command that builds a data set again in its folder dir, from wherever the
// user stands: data sets are moved, and the paths of sources lead from the folder in which it was
// first given. It leads nowhere if that folder is gone, but for a demo's, whose sources lie beside
// it.
func rebuild(command, folder, dir string) string {
	if strings.HasPrefix(command, "hdseg demo") {
		if filepath.Base(dir) != "dataset" {
			return "" // no demo builds there
		}
		dir = filepath.Dir(dir)
		if !outFlag.MatchString(command) {
			command += " -o ."
		}
	}
	if command = jsonFlag.ReplaceAllString(command, "$2"); command == "" {
		return ""
	}
	here, err := os.Getwd()
	if err != nil {
		here = folder
	}
	if folder == "" {
		folder = here
	}
	// whoever runs it goes elsewhere
	if to, err := filepath.Abs(dir); err == nil && !exists(folder) {
		return outFlag.ReplaceAllLiteralString(command, " -o "+format.Shell(to))
	}
	command = outFlag.ReplaceAllLiteralString(command, " -o "+format.Shell(leads(folder, dir)))
	if folder == here {
		return command
	}
	return "(cd " + format.Shell(leads(here, folder)) + " && " + command + ")"
}

// leads returns a path from one folder to another: relative, where that is shorter.
func leads(from, to string) string {
	to, _ = filepath.Abs(to)
	if rel, err := filepath.Rel(from, to); err == nil && len(rel) < len(to) && rel[0] != '-' {
		return rel
	}
	return to
}

// remedy names what mends each kind of fault of a manifest in the folder dir of a data set.
func (r *checkResult) remedy(manifest, dir, dataset string) {
	if filepath.Base(dir) == "stages" {
		dir = filepath.Dir(dir)
	}
	store, err := manifests.ViewStore(dir)
	if err != nil {
		return // who reads the folder says why
	}
	run := pipeline.LastRun(store, dataset)
	// it was made from a built one
	if runs := store.Glob("*.run.yaml"); run.Command == "" && len(runs) == 1 {
		dataset = strings.TrimSuffix(runs[0], ".run.yaml")
		run = pipeline.LastRun(store, dataset)
	}
	command, folder := run.Command, run.Folder
	built := rebuild(command, folder, dir)
	again := "restore the files from a copy of the data set, or pull it again from where it came: " +
		"hdseg pull s3://BUCKET/PREFIX " + format.Shell(dir) + " --replace"
	gone := folder != "" && !exists(folder) && !strings.HasPrefix(command, "hdseg demo")
	if built != "" {
		again = "run again: " + built
	}
	if gone && built != "" {
		again = "run this in a folder from which its paths lead to the sources (" + folder + ", where it ran first, is gone), or with " +
			"their new paths: " + built
	}
	said := map[string]bool{}
	for _, f := range r.Faults {
		line := again
		switch f.Kind {
		case manifests.FaultLeak, manifests.FaultLeakProvenance, manifests.FaultTwice, manifests.FaultDuplicate:
			line = "take test pictures out of the training split: hdseg split MANIFEST -o NEW.yaml, of the manifest that ingest wrote, " +
				"and then hdseg transfer"
		case manifests.FaultSchema:
			line = "use a version of hdseg that knows this layout"
		case manifests.FaultLog:
			line = "put back the log, plan or anchor of a copy of the data set: nothing else has what they say"
		case manifests.FaultSurplus:
			line = "remove what no manifest names: " + shellLine("hdseg", "check", manifest, "--prune")
		case manifests.FaultOutput:
			line = "make features and models again: hdseg features or hdseg train with the same -o"
			if strings.HasPrefix(f.Message, transfer.ExpertsDir+"/") {
				line = "hdseg transfer learns it again where it needs it"
			}
			if built != "" {
				line = again // it runs the stage whose output differs
			}
			for _, top := range []string{"features/", ".work/features/", transfer.ExpertsDir + "/"} {
				if strings.HasPrefix(f.Message, top) { // as who reads them says
					remove := shellLine("rm", "-r", filepath.Join(dir, top))
					if top == transfer.ExpertsDir+"/" { // each stands by itself
						file, _, _ := strings.Cut(f.Message, ": ")
						remove = shellLine("rm", filepath.Join(dir, file))
					}
					line = "run: " + remove + "; then " + line
					if built != "" && !gone {
						line = "run again: " + remove + " && " + built
					}
				}
			}
		default:
			line = cmp.Or(derived(f, store, dir, dataset), line)
		}
		if !said[line] {
			r.Remedies = append(r.Remedies, line)
		}
		said[line] = true
	}
}

// derived says what mends a fault in what was made from a built data set, which no build makes, ""
// for a fault elsewhere.
func derived(f manifests.Fault, store *manifests.Store, dir, dataset string) string {
	text := strings.ReplaceAll(filepath.ToSlash(f.Message), filepath.ToSlash(filepath.Clean(dir))+"/", "")
	for _, m := range aManifest.FindAllStringSubmatch(text, -1) {
		name := m[1]
		if name == dataset || !filepath.IsLocal(name) || strings.HasPrefix(name, "stages/") || strings.HasSuffix(name, ".run") {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(name))
		return fmt.Sprintf("restore %s.yaml and the folder %[1]s.d from a copy of the data set, or remove both (%s) and write them "+
			"again: hdseg annotate apply or hdseg annotate import, with -o %s", name,
			shellLine("rm", "-rf", file+".yaml", file+".d"), format.Shell(file+".yaml"))
	}
	mask := aMask.FindString(text)
	m, _, err := manifests.Read(store, dataset)
	if mask == "" || err != nil || slices.ContainsFunc(m.Records, func(r manifests.Record) bool {
		return slices.ContainsFunc(r.Masks, func(k manifests.Mask) bool { return k.Path == mask })
	}) {
		return ""
	}
	return "restore " + mask + " from a copy of the data set, or run hdseg annotate apply or hdseg annotate import again: " +
		"no build makes it"
}

// checked reports faults.
func (a *app) checked(file string, r *checkResult) error {
	if r.Faults == nil {
		r.Faults = []manifests.Fault{}
	}
	if r.Remedies == nil {
		r.Remedies = []string{}
	}
	if err := a.report(r); err != nil {
		return err
	}
	if len(r.Faults) > 0 {
		return fmt.Errorf("%s: %s", file, plural(len(r.Faults), "fault", "faults"))
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
	var hold raster.Hold
	defer hold.Release()
	img, _, err := raster.Decode(data, raster.DefaultLimits().Within(&hold))
	if err != nil {
		return 0, 0, "", err
	}
	img = raster.Orient(img, orientation)
	return img.Width, img.Height, manifests.Sum(img.Pix), nil
}

func maskAreas(data []byte) (width, height, ground, figure, void int, err error) {
	var hold raster.Hold
	defer hold.Release()
	if w, h, err := raster.Size(data); err == nil {
		hold.Take(int64(w) * int64(h))
	}
	m, err := raster.DecodeMask(data)
	if err != nil {
		return 0, 0, 0, 0, 0, err
	}
	ground, figure, void = m.Areas()
	return m.Width, m.Height, ground, figure, void, nil
}
