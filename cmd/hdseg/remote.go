package main

import (
	"bytes"
	"cmp"
	"fmt"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"hdseg/manifests/remote"
)

type remoteFlags struct {
	o             remote.Options
	partMB        int
	rateMB        float64
	name          string
	splits, tiers []string
	req           remote.Request

	// held while something is printed: transfers report beside the one that counts
	mu sync.Mutex
}

func (r *remoteFlags) withServer(cmd *cobra.Command) {
	r.o = remote.Defaults()
	r.partMB = int(r.o.PartBytes >> 20)
	f := cmd.Flags()
	f.StringVar(&r.o.Endpoint, "endpoint", "", "URL of a server that is not Amazon's (default: AWS_ENDPOINT_URL, then Amazon)")
	f.StringVar(&r.o.Region, "region", "", "region of the bucket (default: AWS_REGION, the profile's, us-east-1)")
	f.IntVar(&r.o.Workers, "transfers", r.o.Workers, "transfers at a time; 1 to 256")
	f.Float64Var(&r.rateMB, "limit-mb", 0, "send or receive at most so many MiB a second; 0 for no limit")
	f.IntVar(&r.o.Attempts, "attempts", r.o.Attempts, "how often a request is tried before it is given up")
	f.DurationVar(&r.o.Stall, "stall", r.o.Stall, "end a try when no byte has moved for so long, and try again; 0 for never")
}

func (r *remoteFlags) withTransfer(cmd *cobra.Command, what string) {
	r.withServer(cmd)
	withChoice(cmd, &r.splits, &r.tiers)
	f := cmd.Flags()
	f.IntVar(&r.partMB, "part-mb", r.partMB, "send larger files in parts of this size, in MiB; 5 to 5120")
	f.StringVar(&r.name, "name", "", "only this manifest or folder of shards, such as horseseg")
	f.BoolVar(&r.req.DryRun, "dry-run", false, "print what would be done and do nothing")
	f.BoolVar(&r.req.Replace, "replace", false, "also replace a manifest of another data set, or a file that is no manifest")
	f.BoolVar(&r.req.Delete, "delete", false, "remove "+what+" that the manifest does not name")
	f.IntVar(&r.req.MaxDelete, "max-delete", 100, "with --delete: do nothing if more would be removed")
}

func (r *remoteFlags) open(a *app, cmd *cobra.Command, url string) (*remote.Bucket, error) {
	var err error
	if r.req.Choice.Splits, r.req.Choice.Tiers, err = chosen(r.splits, r.tiers); err != nil {
		return nil, err
	}
	if r.partMB < 5 || r.partMB > 5<<10 {
		return nil, usagef("--part-mb %d: want 5 to %d", r.partMB, 5<<10)
	}
	r.o.PartBytes = int64(r.partMB) << 20
	r.o.Rate = int64(r.rateMB * (1 << 20))
	if r.rateMB != 0 && r.o.Rate < 1 {
		return nil, usagef("--limit-mb %g: want more than 0, or 0 for no limit", r.rateMB)
	}
	_, _, err = remote.ParseURL(url)
	if err := usage(cmp.Or(r.o.Validate(), err)); err != nil {
		return nil, err
	}
	if r.req.Grace < 0 || r.req.Stale < 0 {
		return nil, usagef("--grace %v --stale %v: want 0 or more", r.req.Grace, r.req.Stale)
	}
	for _, name := range []string{"max-delete", "grace"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && !r.req.Delete {
			return nil, usagef("--%s %s: works only with --delete: want --delete, too", name, f.Value)
		}
	}
	if r.req.MaxDelete < 0 {
		return nil, usagef("--max-delete %d: want 0 or more", r.req.MaxDelete)
	}
	r.o.Notice = func(line string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		a.warn(line)
	}
	return remote.Open(cmd.Context(), url, r.o)
}

// progress shows how far a transfer is.
func (r *remoteFlags) progress(a *app) func(done, total int) {
	show := a.stageProgress(a.Command)
	return func(done, total int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		show(done, total)
	}
}

// shipped reports what was transferred.
func (r *remoteFlags) shipped(a *app, from, to string, res *remote.Result) error {
	var names []string
	for _, f := range r.req.Archives {
		dir := pathpkg.Dir(f.Index)
		if dir == "." { // the place itself: the folder's name says more
			if abs, err := filepath.Abs(from); err == nil {
				dir = filepath.Base(abs)
			}
		}
		names = append(names, dir)
	}
	a.Read, a.Done = res.Objects, res.Sent+res.Kept
	return a.report(&remoteResult{From: from, To: to, Name: strings.Join(append(names, r.req.Names...), ","), DryRun: r.req.DryRun,
		Result: *res})
}

type remoteResult struct {
	summary
	From   string `json:"from"`    // folder or URL that was read
	To     string `json:"to"`      // URL or folder that was written
	Name   string `json:"name"`    // of what was transferred, separated by commas
	DryRun bool   `json:"dry_run"` // nothing was done
	remote.Result
}

func (r *remoteResult) table(w *bytes.Buffer) {
	would := ""
	if r.DryRun {
		would = "would be "
	}
	for _, p := range r.Deleted {
		fmt.Fprintf(w, "%sdeleted %s\n", would, remote.Printable(p))
	}
	for _, p := range r.Aborted {
		fmt.Fprintf(w, "%saborted upload of %s\n", would, remote.Printable(p))
	}
	moved := "sent"
	if r.Command == "pull" {
		moved = "received"
	}
	if r.Verified > 0 {
		fmt.Fprintf(w, "verified %d objects by size and sha256, %d of them sent again\n", r.Verified, r.Repaired)
	}
	fmt.Fprintf(w, "%s: %d files: %s%d %s (%.1f MB), %d there already, %d deleted; %s to %s, sha256 %s\n",
		remote.Printable(r.Name), r.Objects, would, r.Sent, moved, float64(r.Bytes)/1e6, r.Kept, len(r.Deleted), r.From, r.To, r.Manifest.Short())
}

// markerWarnings names objects that look like folders and are none.
func markerWarnings(keys []string) (out []string) {
	for _, k := range keys {
		out = append(out, remote.Printable(k)+": this object is left out: it has content, and its name ends in \"/\"")
	}
	return out
}

// oneSet tells whether the records of some splits or tiers are chosen, and no name: they are of one
// data set.
func (r *remoteFlags) oneSet() bool {
	return r.name == "" && (r.req.Choice.Splits != nil || r.req.Choice.Tiers != nil)
}

// inOrder sorts manifests: stages, which others were made from, come first. Of oneSet it keeps the
// one that is no stage or, where there are no shards either, that of a stage; of a data set and
// what was made from it, the newest; what was made from an earlier build of it is left out. Several
// are an error; there may be none.
func (r *remoteFlags) inOrder(where string, found []remote.Held, shards bool) (names []string, err error) {
	deep := func(h remote.Held) int { return strings.Count(h.Name, "/") }
	slices.SortFunc(found, func(a, b remote.Held) int { return cmp.Or(deep(b)-deep(a), strings.Compare(a.Name, b.Name)) })
	if r.oneSet() {
		roots := slices.DeleteFunc(slices.Clone(found), func(h remote.Held) bool { return deep(h) > 0 })
		if len(roots) == 0 && !shards {
			roots = found
		}
		all := found
		found = slices.DeleteFunc(slices.Clone(roots), func(h remote.Held) bool {
			return slices.ContainsFunc(roots, func(made remote.Held) bool { return made.Parent == h.SHA256 })
		})
		if len(found) > 1 {
			found = slices.DeleteFunc(found, func(h remote.Held) bool { return r.outdated(where, h, all) })
		}
	}
	for _, h := range found {
		names = append(names, h.Name)
	}
	if r.oneSet() && len(found) > 1 {
		what := "data sets"
		if !slices.ContainsFunc(found, func(h remote.Held) bool { return h.Dataset != found[0].Dataset }) {
			what = "manifests of one data set"
		}
		return nil, usagef("%s: holds several %s: choose one with --name: %s", where, what, strings.Join(names, ", "))
	}
	return names, nil
}

// outdated tells of a manifest, and says, that the build it was made from has been replaced by
// another of the same data set.
func (r *remoteFlags) outdated(where string, h remote.Held, all []remote.Held) bool {
	for of := h; of.Name != of.Dataset; {
		i := slices.IndexFunc(all, func(p remote.Held) bool { return p.SHA256 == of.Parent })
		if i >= 0 {
			of = all[i]
			continue
		}
		old := of.Parent != "" && slices.ContainsFunc(all, func(p remote.Held) bool { return p.Name == h.Dataset && p.Dataset == h.Dataset })
		if old && r.o.Notice != nil {
			r.o.Notice(fmt.Sprintf("%s: %s was made from an earlier build of %s and is left out: --name %[2]s takes it", where,
				remote.Printable(h.Name), remote.Printable(h.Dataset)))
		}
		return old
	}
	return false
}
