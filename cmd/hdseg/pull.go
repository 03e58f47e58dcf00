package main

import (
	"fmt"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/manifests"
	"hdseg/manifests/remote"
	"hdseg/manifests/shard"
)

func (a *app) pullCommand() *cobra.Command {
	var r remoteFlags
	cmd := &cobra.Command{
		Use: "pull s3://BUCKET/PREFIX DIR", Short: "Fetch a data set from an S3 bucket", Args: exactArgs("s3://BUCKET/PREFIX", "DIR"),
		Long: `pull fetches all the manifests of a place with the files that they name, and its folders of shards, or, with --splits or
--tiers, the records of those. Every file that is there is read and compared, every file that arrives too, and the
manifests are written last. Interrupted, the same command continues, also inside large files. It writes below images and
masks, the manifests and their parts, archives and SHA256SUMS, nothing else: a place that names other files is refused, and
so is, without --replace, a file of those names here that is not of the same data set.`,
		Example: `  hdseg pull s3://bucket/horseseg copy
  hdseg pull s3://bucket/horseseg tests --splits test
  hdseg pull s3://bucket/horseseg copy --name shards`,
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := a.ship(cmd, &r, args, args[0])
			if err != nil {
				return err
			}
			what, err := r.held(cmd, t.b, args[0])
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
				if err := t.shards(dir, func() (*remote.Result, error) { return r.pullShards(cmd, t.b, store, dir) }); err != nil {
					return err
				}
			}
			err = t.manifests(what.manifests, func() (*remote.Result, error) { return t.b.Pull(cmd.Context(), store, r.req) })
			if err != nil {
				return err
			}
			return t.report()
		},
	}
	r.withTransfer(cmd, "files below images and masks")
	return cmd
}

// A remoteSets is what a place has to pull.
type remoteSets struct{ manifests, shards []string }

// held finds what lies at a place itself. Of some splits or tiers it is one data set, or, where there is none, shards.
func (r *remoteFlags) held(cmd *cobra.Command, b *remote.Bucket, url string) (*remoteSets, error) {
	list, err := b.List(cmd.Context())
	if err != nil {
		return nil, err
	}
	h, below := &remoteSets{}, ""
	for _, v := range list.DataSets {
		switch {
		case v.At != "":
			below = remote.Printable(v.At)
		case r.name != "" && r.name != v.Name:
		case remote.Printable(v.Name) != v.Name:
			return nil, fmt.Errorf("%s: it holds %q, which is no name: choose another with --name", url, v.Name)
		case v.Kind == remote.KindShards:
			h.shards = append(h.shards, v.Name)
		default:
			h.manifests = append(h.manifests, v.Name)
		}
	}
	deep := func(name string) int { return strings.Count(name, "/") }
	slices.SortStableFunc(h.manifests, func(a, b string) int { return deep(b) - deep(a) })
	if chosen := r.req.Choice.Splits != nil || r.req.Choice.Tiers != nil; chosen && r.name == "" {
		if h.manifests, err = oneOf(url, h.manifests, len(h.shards) > 0); err != nil {
			return nil, err
		}
		if len(h.manifests) == 1 {
			h.shards = nil
		}
	}
	switch {
	case len(h.manifests)+len(h.shards) > 0:
		return h, nil
	case r.name != "":
		return nil, fmt.Errorf("%s: there is no %s: hdseg ls says what there is", url, r.name)
	case below != "":
		return nil, fmt.Errorf("%s: there is no manifest, but in %s is one", url, strings.TrimSuffix(url, "/")+"/"+below)
	}
	return nil, fmt.Errorf("%s: there is no manifest", url)
}

// pullShards fetches the archives of a folder of shards and makes one of it here.
func (r *remoteFlags) pullShards(cmd *cobra.Command, b *remote.Bucket, store *manifests.Store, dir string) (*remote.Result, error) {
	data, err := b.Get(cmd.Context(), pathpkg.Join(dir, shard.IndexFile))
	if err != nil {
		return nil, err
	}
	ix, err := shard.ParseIndex(data)
	if err != nil {
		return nil, err
	}
	f, err := shardFiles(ix, r, dir)
	if err != nil {
		return nil, err
	}
	res, err := b.PullFiles(cmd.Context(), store, f, r.req)
	if err != nil || r.req.DryRun {
		return res, err
	}
	return res, shard.Finish(filepath.Join(store.Dir(), filepath.FromSlash(dir)), ix.Choose(r.req.Choice.Splits, r.req.Choice.Tiers))
}
