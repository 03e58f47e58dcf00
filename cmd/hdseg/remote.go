package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hdseg/manifests"
	"hdseg/manifests/remote"
)

// A remoteFlags are those of push, pull and ls.
type remoteFlags struct {
	o             remote.Options
	partMB        int
	splits, tiers []string
	req           remote.Request
}

// withServer adds the flags that say how to speak to a server.
func (r *remoteFlags) withServer(cmd *cobra.Command) {
	r.o = remote.Defaults()
	r.partMB = int(r.o.PartBytes >> 20)
	f := cmd.Flags()
	f.StringVar(&r.o.Endpoint, "endpoint", "", "URL of a server that is not Amazon's (default: AWS_ENDPOINT_URL, then Amazon)")
	f.StringVar(&r.o.Region, "region", "", "region of the bucket (default: AWS_REGION, the profile's, us-east-1)")
	f.IntVar(&r.o.Workers, "transfers", r.o.Workers, "transfers at a time")
	f.IntVar(&r.o.Attempts, "attempts", r.o.Attempts, "tries of one request before it is given up")
}

// withTransfer adds the flags of push and pull.
func (r *remoteFlags) withTransfer(cmd *cobra.Command, what string) {
	r.withServer(cmd)
	withChoice(cmd, &r.splits, &r.tiers)
	f := cmd.Flags()
	f.IntVar(&r.partMB, "part-mb", r.partMB, "files above it are sent in parts of this size, in MiB; from 5")
	f.StringVar(&r.req.Name, "name", "", "manifest, such as horseseg, where there are several")
	f.BoolVar(&r.req.DryRun, "dry-run", false, "print what would be done and do nothing")
	f.BoolVar(&r.req.Delete, "delete", false, "remove "+what+" that the manifest does not name")
	f.IntVar(&r.req.MaxDelete, "max-delete", 100, "with --delete: do nothing at all if more would be removed")
}

// open checks the flags and prepares the place.
func (r *remoteFlags) open(cmd *cobra.Command, url string) (*remote.Bucket, error) {
	var err error
	if r.req.Choice.Splits, r.req.Choice.Tiers, err = chosen(r.splits, r.tiers); err != nil {
		return nil, err
	}
	r.o.PartBytes = int64(r.partMB) << 20
	if err := r.o.Validate(); err != nil {
		return nil, &usageError{err}
	}
	if _, _, err := remote.ParseURL(url); err != nil {
		return nil, &usageError{err}
	}
	if r.req.MaxDelete < 0 {
		return nil, usagef("--max-delete %d: want 0 or more", r.req.MaxDelete)
	}
	return remote.Open(cmd.Context(), url, r.o)
}

type remoteResult struct {
	summary
	From   string `json:"from"`
	To     string `json:"to"`
	Name   string `json:"name"`
	DryRun bool   `json:"dry_run"`
	remote.Result
}

func (r *remoteResult) table(w io.Writer) error {
	would := ""
	if r.DryRun {
		would = "would be "
	}
	for _, p := range r.Deleted {
		fmt.Fprintf(w, "%sdeleted %s\n", would, p)
	}
	for _, p := range r.Aborted {
		fmt.Fprintf(w, "%saborted upload of %s\n", would, p)
	}
	_, err := fmt.Fprintf(w, "%s: %d files: %s%d sent (%.1f MB), %d there already, %d deleted; %s to %s, sha256 %s\n",
		r.Name, r.Objects, would, r.Sent, float64(r.Bytes)/1e6, r.Kept, len(r.Deleted), r.From, r.To, r.Manifest.Short())
	return err
}

func (a *app) pushCommand() *cobra.Command {
	var r remoteFlags
	cmd := &cobra.Command{
		Use: "push DIR s3://BUCKET/PREFIX", Short: "Send a data set to an S3 bucket", Args: exactArgs("DIR", "s3://BUCKET/PREFIX"),
		Long: `push sends the files that a manifest names, each compared by sha256, and the manifest last, on condition that nobody else
changed it meanwhile. What is there already is kept; interrupted, the same command continues, also inside large files.
Credentials, profile and region come from the usual places of the AWS tools. With --splits or --tiers a manifest of
those records alone is sent.`,
		Example: `  hdseg push out s3://bucket/horseseg
  hdseg push out s3://bucket/horseseg --dry-run --delete --max-delete 20
  hdseg push out s3://bucket/tests --splits test --endpoint http://127.0.0.1:7070`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s := newSummary("push")
			b, err := r.open(cmd, args[1])
			if err != nil {
				return err
			}
			store, name, err := localManifest(args[0], r.req.Name)
			if err != nil {
				return err
			}
			r.req.Name, r.req.Progress = name, a.stageProgress("push")
			res, err := b.Push(cmd.Context(), store, r.req)
			if err != nil {
				return err
			}
			for _, p := range res.Pending {
				s.Warnings = append(s.Warnings, p+": an upload of it is unfinished: another push may be running")
			}
			s.Read, s.Done = res.Objects, res.Sent+res.Kept
			return a.report(&remoteResult{s, args[0], args[1], name, r.req.DryRun, *res})
		},
	}
	r.withTransfer(cmd, "objects below the prefix")
	cmd.Flags().DurationVar(&r.req.Stale, "stale", 24*time.Hour, "abort unfinished uploads below the prefix that are older than this; 0 for none")
	return cmd
}

func (a *app) pullCommand() *cobra.Command {
	var r remoteFlags
	cmd := &cobra.Command{
		Use: "pull s3://BUCKET/PREFIX DIR", Short: "Fetch a data set from an S3 bucket", Args: exactArgs("s3://BUCKET/PREFIX", "DIR"),
		Long: `pull fetches what a manifest names, whole or the records of some splits and tiers. Every file that is there is read and
compared, every file that arrives too, and the manifest is written last. Interrupted, the same command continues, also
inside large files.`,
		Example: `  hdseg pull s3://bucket/horseseg copy
  hdseg pull s3://bucket/horseseg tests --splits test`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s := newSummary("pull")
			b, err := r.open(cmd, args[0])
			if err != nil {
				return err
			}
			if r.req.Name == "" {
				held, _, _, err := b.List(cmd.Context())
				if err != nil {
					return err
				}
				var names []string
				for _, h := range held {
					names = append(names, h.Name)
				}
				if r.req.Name, err = only(args[0], names); err != nil {
					return err
				}
			}
			store, err := manifests.OpenStore(args[1])
			if err != nil {
				return err
			}
			r.req.Progress = a.stageProgress("pull")
			res, err := b.Pull(cmd.Context(), store, r.req)
			if err != nil {
				return err
			}
			s.Read, s.Done = res.Objects, res.Sent+res.Kept
			return a.report(&remoteResult{s, args[0], args[1], r.req.Name, r.req.DryRun, *res})
		},
	}
	r.withTransfer(cmd, "files below images and masks")
	return cmd
}

type lsResult struct {
	summary
	URL      string        `json:"url"`
	DataSets []remote.Held `json:"datasets"`
	Objects  int           `json:"objects"`
	Bytes    int64         `json:"bytes"`
}

func (r *lsResult) table(w io.Writer) error {
	for _, h := range r.DataSets {
		fmt.Fprintf(w, "%s: %s, stage %s, hdseg %s, %d records, sha256 %s\n", h.Name, h.Dataset, h.Stage, h.Version, h.Records, h.SHA256.Short())
		for _, c := range h.Counts {
			fmt.Fprintf(w, "  %-6s %-20s %8d\n", c.Split, c.Tier, c.Images)
		}
	}
	_, err := fmt.Fprintf(w, "%d data sets, %d objects, %.1f MB\n", len(r.DataSets), r.Objects, float64(r.Bytes)/1e6)
	return err
}

func (a *app) lsCommand() *cobra.Command {
	var r remoteFlags
	cmd := &cobra.Command{
		Use: "ls s3://BUCKET/PREFIX", Short: "Say which data sets a bucket holds", Args: exactArgs("s3://BUCKET/PREFIX"),
		Long:    `ls reads the indexes of the manifests below a prefix: no picture and no part of a manifest is fetched.`,
		Example: "  hdseg ls s3://bucket/horseseg",
		RunE: func(cmd *cobra.Command, args []string) error {
			s := newSummary("ls")
			b, err := r.open(cmd, args[0])
			if err != nil {
				return err
			}
			out := &lsResult{URL: args[0]}
			if out.DataSets, out.Objects, out.Bytes, err = b.List(cmd.Context()); err != nil {
				return err
			}
			if out.DataSets == nil {
				out.DataSets = []remote.Held{}
			}
			s.Read, s.Done = len(out.DataSets), len(out.DataSets)
			out.summary = s
			return a.report(out)
		},
	}
	r.withServer(cmd)
	return cmd
}

// localManifest finds the manifest of a folder, or takes the file of one.
func localManifest(dir, name string) (*manifests.Store, string, error) {
	if strings.HasSuffix(dir, ".yaml") {
		return manifests.Locate(dir)
	}
	if name != "" {
		return manifests.Locate(filepath.Join(dir, name+".yaml"))
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, "", err
	}
	var names []string
	for _, f := range files {
		if _, n, err := manifests.Locate(f); err == nil { // a run record is none
			names = append(names, n)
		}
	}
	if name, err = only(dir, names); err != nil {
		return nil, "", err
	}
	return manifests.Locate(filepath.Join(dir, name+".yaml"))
}

func only(where string, names []string) (string, error) {
	switch len(names) {
	case 0:
		return "", fmt.Errorf("%s: there is no manifest", where)
	case 1:
		return names[0], nil
	}
	return "", usagef("%s: there are several manifests, choose one with --name: %s", where, strings.Join(names, ", "))
}
