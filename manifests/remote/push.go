package remote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"hdseg/manifests"
)

// A Request is one push or pull.
type Request struct {
	Name      string // of the manifest, without .yaml
	Choice    Choice
	DryRun    bool                  // change nothing, only count
	Delete    bool                  // remove what the manifest does not name: below the prefix, or below images/ and masks/ of a folder
	MaxDelete int                   // but do nothing at all if that is more than this
	Stale     time.Duration         // push: unfinished uploads older than this are aborted; 0 for none
	Progress  func(done, total int) // may be nil
}

// A Result counts what was done, or, of a dry run, would be.
type Result struct {
	Manifest manifests.Digest `json:"manifest"` // of the index that is there now
	Objects  int              `json:"objects"`  // images and masks that it names
	Sent     int              `json:"sent"`     // transferred
	Bytes    int64            `json:"bytes"`    // of those, where known
	Kept     int              `json:"kept"`     // were there already
	Deleted  []string         `json:"deleted"`
	Aborted  []string         `json:"aborted"` // stale uploads
	Pending  []string         `json:"pending"` // unfinished uploads that are left, perhaps of another push that runs now
}

// ErrConflict is wrapped when another push changed the manifest meanwhile.
var ErrConflict = errors.New("another push changed the manifest meanwhile: run the same command again")

// Push sends a manifest of the store and what it names. Objects that are there with the right size and sha256 are kept. The index comes last, and
// only if it is still what it was at the start: a reader never sees one that names something missing, and of two pushes at once one fails with
// ErrConflict. A push that was killed is finished by the same call. The error of a file that cannot be sent ends the push.
func (b *Bucket) Push(ctx context.Context, s *manifests.Store, req Request) (*Result, error) {
	p := &push{Bucket: b, req: req, res: &Result{Deleted: []string{}, Aborted: []string{}, Pending: []string{}}}
	err := p.run(ctx, s)
	if err != nil {
		return nil, err
	}
	return p.res, nil
}

type push struct {
	*Bucket
	req Request
	res *Result

	m        *manifests.Manifest
	index    []byte
	head     *head
	parts    [][]byte // of head.pieces()
	list     []byte   // for sha256sum; nil for none
	old      []byte   // the index that is there; nil for none
	oldTag   string
	there    map[string]int64
	trusted  map[string]manifests.Digest // named by the manifest that is there
	resuming map[string]types.MultipartUpload
}

func (p *push) run(ctx context.Context, s *manifests.Store) error {
	if err := p.prepare(ctx, s); err != nil {
		return err
	}
	extra := p.extra()
	if p.req.Delete && len(extra) > p.req.MaxDelete {
		return fmt.Errorf("remote: %s: %d objects would be deleted, want at most %d: raise --max-delete if they are meant", p.Bucket, len(extra), p.req.MaxDelete)
	}
	if err := p.unfinished(ctx); err != nil {
		return err
	}
	if !p.req.DryRun {
		// First, so that a server that compares what arrives has shown it before large files are read.
		if err := p.write(ctx, byDigest); err != nil {
			return err
		}
	}
	if err := p.send(ctx, s, objects(p.m)); err != nil {
		return err
	}
	if p.req.DryRun {
		if p.req.Delete {
			p.res.Deleted = extra
		}
		return nil
	}
	if err := p.publish(ctx); err != nil {
		return err
	}
	if p.req.Delete {
		return p.delete(ctx, extra)
	}
	return nil
}

// A sending is what became of one object.
type sending struct {
	sent  bool
	bytes int64
}

func (p *push) send(ctx context.Context, s *manifests.Store, list []object) error {
	p.res.Objects = len(list)
	return manifests.Each(ctx, p.opts.Workers, len(list), func(ctx context.Context, i int) (sending, error) {
		o := list[i]
		name, err := s.Path(o.path)
		if err != nil {
			return sending{}, err
		}
		st, err := os.Stat(name)
		if err != nil {
			return sending{}, fmt.Errorf("remote: %w: run hdseg check", err)
		}
		if size, ok := p.there[o.path]; ok && size == st.Size() {
			sum := p.trusted[o.path]
			if sum != o.sum {
				if _, sum, err = p.Bucket.head(ctx, o.path); err != nil {
					return sending{}, err
				}
			}
			if sum == o.sum {
				return sending{}, nil
			}
		}
		if p.req.DryRun {
			return sending{true, st.Size()}, nil
		}
		var resume *types.MultipartUpload
		if u, ok := p.resuming[o.path]; ok {
			resume = &u
		}
		return sending{true, st.Size()}, p.Bucket.send(ctx, o.path, name, st.Size(), o.sum, resume)
	}, func(i int, v sending, err error) error {
		if err != nil {
			return err
		}
		if v.sent {
			p.res.Sent++
			p.res.Bytes += v.bytes
		} else {
			p.res.Kept++
		}
		if p.req.Progress != nil {
			p.req.Progress(i+1, len(list))
		}
		return nil
	})
}
