package main

import (
	"cmp"
	"fmt"
	"os"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hdseg/manifests"
	"hdseg/manifests/remote"
	"hdseg/manifests/shard"
)

func (a *app) pushCommand() *cobra.Command {
	var r remoteFlags
	cmd := &cobra.Command{
		Use: "push DIR s3://BUCKET/PREFIX", Short: "Send a data set to an S3 bucket", Args: exactArgs("DIR", "s3://BUCKET/PREFIX"),
		Long: `push sends the manifests of a folder, those of its stages too, with the files that they name, and its folders of
shards. DIR may also be one manifest or one folder of shards. Files that the bucket has already are not sent again:
they are compared by size and sha256. The manifests are sent last, and only if nobody else changed them meanwhile. If push
is interrupted, the same command continues, also inside large files.

push never overwrites a manifest of another data set, a file that is no manifest, or a manifest that another one was
made from, unless you pass --replace.

--delete removes objects that the manifest does not name. It leaves objects younger than --grace, as another push may
have just sent them. --verify asks the server for size and sha256 of every object at the end. Only pull reads the bytes;
if it names a damaged object, --resend sends that object again. --splits and --tiers send a manifest of only those
records, to a place that holds no whole set.

Credentials, profile and region come from the usual places of the AWS tools.`,
		Example: `  hdseg push out s3://bucket/horseseg
  hdseg push out/horseseg.yaml s3://bucket/horseseg --limit-mb 20
  hdseg push shards s3://bucket/horseseg/shards
  hdseg push out s3://bucket/horseseg --resend images/a.0123456789abcdef.jpg
  hdseg push out s3://bucket/horseseg --dry-run
  hdseg push out s3://bucket/tests --splits test --endpoint http://127.0.0.1:7070`,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := r.open(a, cmd, args[1])
			if err != nil {
				return err
			}
			from, err := r.local(args[0])
			if err != nil {
				return err
			}
			a.warnAll(from.warnings)
			for _, name := range from.manifests {
				a.warn(manifests.Unheld(from.store, name)) // whether its index was edited nothing tells
			}
			if len(from.manifests) == 0 && r.req.Delete {
				return usagef("hdseg push: --delete works with a manifest only: archives are never deleted")
			}
			r.req.Names, r.req.Archives, r.req.Progress = from.manifests, from.shards, r.progress(a)
			res, err := b.Push(cmd.Context(), from.store, r.req)
			if err != nil {
				return err
			}
			if n := res.Young; n > 0 {
				a.warn(fmt.Sprintf("%d objects that no manifest names are younger than %v and were "+
					"left: another push may be running (--grace)", n, r.req.Grace))
			}
			a.warnAll(markerWarnings(res.Markers))
			a.warnAll(serverWarnings(res))
			for _, p := range res.Pending {
				a.warn(remote.Printable(p) + ": its upload is unfinished: another push may be running")
			}
			for _, p := range r.req.Resend {
				if p != remote.ResendAll && !slices.Contains(res.Resent, p) {
					return fmt.Errorf("push: --resend %s: no pushed file has this path; all other work is done", p)
				}
			}
			return r.shipped(a, args[0], args[1], res)
		},
	}
	r.withTransfer(cmd, "objects below the prefix")
	cmd.Flags().StringSliceVar(&r.req.Resend, "resend", nil, "send damaged objects again: paths as pull names "+
		"them, such as images/x.jpg, or all")
	cmd.Flags().DurationVar(&r.req.Grace, "grace", 15*time.Minute, "with --delete: leave objects younger than this that the "+
		"manifest that is replaced does not name")
	cmd.Flags().BoolVar(&r.req.Verify, "verify", false, "at the end ask for size and sha256 of every object, and send again what differs")
	cmd.Flags().DurationVar(&r.req.Stale, "stale", 24*time.Hour, "abort unfinished uploads below the prefix that are older than "+
		"this; 0 for none")
	return cmd
}

// serverWarnings says what push cannot guard since the server does not do its part.
func serverWarnings(r *remote.Result) (out []string) {
	if r.Unguarded {
		out = append(out, "this server ignores If-Match and If-None-Match: of two pushes at once both end well, and the manifest of one "+
			"is lost: let one person at a time push to this prefix")
	}
	if r.NoMetadata {
		out = append(out, "this server keeps no metadata: without their sha256 push cannot tell which files are there, sends all of "+
			"them each time, and --verify compares sizes only: pull the data set, which compares every byte")
	}
	return out
}

// A localSets is what a folder has to push.
type localSets struct {
	store     *manifests.Store
	manifests []string       // those in folders, which others were made from, first
	shards    []remote.Files // by folder
	warnings  []string
}

// local finds what a folder holds, or takes one manifest's file; see inOrder for a choice of
// records.
func (r *remoteFlags) local(from string) (*localSets, error) {
	if strings.HasSuffix(from, ".yaml") {
		if err := regularFile(from); err != nil {
			return nil, err
		}
		store, name, err := locate(from)
		if err == nil && r.name != "" && r.name != name {
			return nil, usagef("--name %s: %s is already the manifest %s: leave out --name", r.name, from, name)
		}
		return &localSets{store: store, manifests: []string{name}}, err
	}
	if st, err := os.Stat(from); err != nil {
		return nil, err
	} else if !st.IsDir() {
		return nil, usagef("%s: is neither a folder nor a manifest: push the folder that it lies in", from)
	}
	store, err := manifests.OpenStore(from)
	if err != nil {
		return nil, err
	}
	l := &localSets{store: store}
	indexes, err := remote.Indexes(store)
	if err != nil {
		return nil, err
	}
	var found []remote.Held
	for _, rel := range indexes {
		file := filepath.Join(from, filepath.FromSlash(rel))
		if err := regularFile(file); err != nil {
			return nil, err
		}
		if pathpkg.Base(rel) == shard.IndexFile {
			err = l.addShards(r, file, pathpkg.Dir(rel))
		} else {
			found, err = l.addManifest(found, r, file, rel)
		}
		if err != nil {
			return nil, err
		}
	}
	l.manifests, err = r.inOrder(from, found, len(l.shards) > 0)
	if err != nil {
		return nil, err
	}
	if r.oneSet() && len(l.manifests) == 1 {
		l.shards = nil
	}
	if len(l.manifests)+len(l.shards) == 0 {
		return nil, fmt.Errorf("%s: no manifest found", cmp.Or(r.name, from))
	}
	return l, nil
}

// regularFile refuses what cannot be read to its end: opening a pipe waits for a writer.
func regularFile(name string) error {
	st, err := os.Stat(name)
	if err != nil || st.Mode().IsRegular() || st.IsDir() {
		return nil // whoever opens it says what is wrong
	}
	return fmt.Errorf("%s: not a regular file", name)
}

func (l *localSets) addManifest(to []remote.Held, r *remoteFlags, file, rel string) ([]remote.Held, error) {
	name := strings.TrimSuffix(rel, ".yaml")
	if r.name != "" && r.name != name {
		return to, nil
	}
	_, got, err := manifests.Locate(file)
	switch {
	case err != nil && r.name == name:
		return to, err
	case err != nil:
		l.warnings = append(l.warnings, rel+": it is no manifest and is not pushed")
	case got == name: // else of another data set that lies here
		st, err := manifests.StageOf(l.store, name)
		return append(to, remote.Held{Name: name, Dataset: st.Header.Dataset, SHA256: st.Digest, Parent: st.Header.Parent}), err
	}
	return to, nil
}

func (l *localSets) addShards(r *remoteFlags, file, dir string) error {
	if r.name != "" && r.name != dir {
		return nil
	}
	ix, err := shard.ReadIndex(filepath.Dir(file))
	if err == nil {
		var f remote.Files
		f, err = shardFiles(ix, r, dir)
		l.shards = append(l.shards, f)
	}
	return err
}

// shardFiles lists the archives of an index, or of those of some splits and tiers.
func shardFiles(ix *shard.Index, r *remoteFlags, dir string) (f remote.Files, err error) {
	ix = ix.Choose(r.req.Choice.Splits, r.req.Choice.Tiers)
	if len(ix.Shards) == 0 {
		return f, fmt.Errorf("%s: no archive has the chosen splits and tiers", dir)
	}
	f.Index = pathpkg.Join(dir, shard.IndexFile)
	f.Data = ix.Bytes()
	for _, sh := range ix.Shards {
		f.List = append(f.List, remote.File{Path: pathpkg.Join(dir, sh.Name), SHA256: sh.SHA256})
	}
	return f, nil
}

func (a *app) pullCommand() *cobra.Command {
	var r remoteFlags
	cmd := &cobra.Command{
		Use: "pull s3://BUCKET/PREFIX DIR", Short: "Fetch a data set from an S3 bucket", Args: exactArgs("s3://BUCKET/PREFIX", "DIR"),
		Long: `pull fetches the manifests of a place with the files that they name, and its folders of shards. --splits and --tiers
fetch only those records. Every file is verified, those that are here already too. The manifests are written last. If pull
is interrupted, the same command continues, also inside large files.

pull writes only below images and masks, the manifests and their parts, archives and SHA256SUMS. It refuses a manifest
that names other files. It never overwrites files of another data set, unless you pass --replace.`,
		Example: `  hdseg pull s3://bucket/horseseg copy
  hdseg pull s3://bucket/horseseg tests --splits test
  hdseg pull s3://bucket/horseseg copy --name shards`,
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := r.open(a, cmd, args[0])
			if err != nil {
				return err
			}
			what, err := r.held(cmd, b, args[0])
			if err != nil {
				return err
			}
			open := manifests.OpenStore
			if r.req.DryRun {
				open = manifests.ViewStore
			}
			store, err := open(args[1])
			if err != nil {
				return err
			}
			for _, dir := range what.shards {
				f, err := r.heldShards(cmd, b, store, dir)
				if err != nil {
					return err
				}
				r.req.Archives = append(r.req.Archives, f)
			}
			r.req.Names, r.req.Progress = what.manifests, r.progress(a)
			res, err := b.Pull(cmd.Context(), store, r.req)
			if err != nil {
				return err
			}
			return r.shipped(a, args[0], args[1], res)
		},
	}
	r.withTransfer(cmd, "files below images and masks")
	return cmd
}

// A remoteSets is what a place has to pull.
type remoteSets struct{ manifests, shards []string }

// held finds what lies at a place itself; see inOrder for a choice of records.
func (r *remoteFlags) held(cmd *cobra.Command, b *remote.Bucket, url string) (*remoteSets, error) {
	list, err := b.List(cmd.Context())
	if err != nil {
		return nil, err
	}
	if r.name == "" {
		if err := b.Whole(cmd.Context(), list); err != nil {
			return nil, err
		}
	}
	h, below := &remoteSets{}, ""
	var found []remote.Held
	for _, v := range list.DataSets {
		switch {
		case v.At != "":
			below = remote.Printable(v.At)
		case r.name != "" && r.name != v.Name:
		case remote.Printable(v.Name) != v.Name:
			return nil, fmt.Errorf("%s: holds a manifest with the invalid name %q: choose another with --name", url, v.Name)
		case v.Kind == remote.KindShards:
			h.shards = append(h.shards, v.Name)
		default:
			found = append(found, v)
		}
	}
	if h.manifests, err = r.inOrder(url, found, len(h.shards) > 0); err != nil {
		return nil, err
	}
	if r.oneSet() && len(h.manifests) == 1 {
		h.shards = nil
	}
	switch {
	case len(h.manifests)+len(h.shards) > 0:
		return h, nil
	case r.name != "":
		return nil, fmt.Errorf("%s: there is no %s: hdseg ls lists what there is", url, r.name)
	case below != "":
		return nil, fmt.Errorf("%s: no manifest here, but one in %s", url, strings.TrimSuffix(url, "/")+"/"+below)
	}
	return nil, fmt.Errorf("%s: no manifest found", url)
}

// heldShards reads the index of a folder of shards.
func (r *remoteFlags) heldShards(cmd *cobra.Command, b *remote.Bucket, store *manifests.Store, dir string) (f remote.Files, err error) {
	data, err := b.Get(cmd.Context(), pathpkg.Join(dir, shard.IndexFile))
	if err != nil {
		return f, err
	}
	ix, err := shard.ParseIndex(data)
	if err != nil {
		return f, err
	}
	f, err = shardFiles(ix, r, dir)
	f.Finish = func() error {
		return shard.Finish(filepath.Join(store.Dir(), filepath.FromSlash(dir)), ix.Choose(r.req.Choice.Splits, r.req.Choice.Tiers))
	}
	return f, err
}
