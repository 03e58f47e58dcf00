package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
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

// prepare reads both sides.
func (p *push) prepare(ctx context.Context, s *manifests.Store) error {
	m, digest, err := manifests.Read(s, p.req.Name)
	if err != nil {
		return err
	}
	from := s
	p.m = m
	if p.list, err = s.Read(manifests.SumsFile, ""); errors.Is(err, fs.ErrNotExist) {
		p.list = nil
	} else if err != nil {
		return err
	}
	if !p.req.Choice.all() {
		dir, remove, err := tempDir()
		if err != nil {
			return err
		}
		defer remove()
		if from, err = manifests.OpenStore(dir); err != nil {
			return err
		}
		p.list = nil
		p.m = p.req.Choice.of(m, digest)
		if digest, err = manifests.Write(from, p.req.Name, p.m); err != nil {
			return err
		}
	}
	if len(p.m.Records) == 0 {
		return fmt.Errorf("remote: %s: no record is chosen: nothing is pushed", p.req.Name)
	}
	p.res.Manifest = digest
	if p.index, err = from.Read(p.req.Name+".yaml", digest); err != nil {
		return err
	}
	if p.head, err = parseHead(p.index); err != nil {
		return err
	}
	for _, c := range p.head.pieces() {
		data, err := from.Read(c.Path, c.SHA256)
		if err != nil {
			return err
		}
		p.parts = append(p.parts, data)
	}
	if p.old, p.oldTag, err = p.get(ctx, p.req.Name+".yaml", ""); err != nil {
		return err
	}
	if p.there, err = p.listing(ctx); err != nil {
		return err
	}
	return p.trust(ctx)
}

// trust reads which objects the manifest that is there names: whoever wrote it had sent them.
func (p *push) trust(ctx context.Context) error {
	p.trusted = map[string]manifests.Digest{}
	was := p.m
	if p.old == nil {
		return nil
	}
	if manifests.Sum(p.old) != p.res.Manifest {
		dir, remove, err := tempDir()
		if err != nil {
			return err
		}
		defer remove()
		if was, _, err = p.readManifest(ctx, p.old, dir); err != nil {
			return nil // each object is asked instead
		}
	}
	for _, o := range objects(was) {
		p.trusted[o.path] = o.sum
	}
	return nil
}

// extra lists what is there and not named by the manifest.
func (p *push) extra() []string {
	named := map[string]bool{p.req.Name + ".yaml": true, manifests.SumsFile: true}
	for _, o := range objects(p.m) {
		named[o.path] = true
	}
	for _, c := range p.head.pieces() {
		named[c.Path], named[byDigest(c)] = true, true
	}
	out := []string{}
	for k := range p.there {
		if !named[k] {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return out
}

// unfinished sorts the uploads that an earlier push left.
func (p *push) unfinished(ctx context.Context) error {
	list, err := p.uploads(ctx)
	if err != nil {
		return err
	}
	p.resuming = map[string]types.MultipartUpload{}
	wanted := map[string]bool{}
	for _, o := range objects(p.m) {
		wanted[o.path] = true
	}
	for _, u := range list { // the newest first
		path := strings.TrimPrefix(aws.ToString(u.Key), p.prefix)
		_, taken := p.resuming[path]
		switch {
		case wanted[path] && !taken:
			p.resuming[path] = u
		case p.req.Stale > 0 && u.Initiated != nil && time.Since(*u.Initiated) > p.req.Stale:
			if !p.req.DryRun {
				if err := p.abort(ctx, u); err != nil {
					return err
				}
			}
			p.res.Aborted = append(p.res.Aborted, path)
		default:
			p.res.Pending = append(p.res.Pending, path)
		}
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

// publish writes the manifest: parts under their digests, the index on its condition, parts and sums under their names.
func (p *push) publish(ctx context.Context) error {
	pieces := p.head.pieces()
	write := func(name func(piece) string) error {
		return manifests.Each(ctx, p.opts.Workers, len(pieces), func(ctx context.Context, i int) (struct{}, error) {
			c := pieces[i]
			path := name(c)
			if size, ok := p.there[path]; ok && size == int64(len(p.parts[i])) {
				if _, sum, err := p.Bucket.head(ctx, path); err != nil || sum == c.SHA256 {
					return struct{}{}, err
				}
			}
			return struct{}{}, p.retry(ctx, path, func() error { return p.put(ctx, path, p.parts[i], c.SHA256, nil) })
		}, func(_ int, _ struct{}, err error) error { return err })
	}
	if err := write(byDigest); err != nil {
		return err
	}
	plain := func(c piece) string { return c.Path }
	if p.old == nil { // nobody reads them yet
		if err := write(plain); err != nil {
			return err
		}
	}
	if err := p.putIndex(ctx); err != nil {
		return err
	}
	if p.old != nil {
		if err := write(plain); err != nil {
			return err
		}
	}
	return p.sums(ctx)
}

func (p *push) putIndex(ctx context.Context) error {
	path := p.req.Name + ".yaml"
	if p.old != nil && manifests.Sum(p.old) == p.res.Manifest {
		return nil
	}
	when := &condition{absent: p.old == nil, etag: p.oldTag}
	err := p.retry(ctx, path, func() error {
		err := p.put(ctx, path, p.index, p.res.Manifest, when)
		if c := codeOf(err); c == "PreconditionFailed" || c == "ConditionalRequestConflict" || statusOf(err) == 412 || statusOf(err) == 409 {
			return finalError{ErrConflict}
		}
		return err
	})
	if errors.Is(err, ErrConflict) { // or our own, when the answer to an earlier try was lost
		if now, _, e := p.get(ctx, path, ""); e == nil && manifests.Sum(now) == p.res.Manifest {
			return nil
		}
	}
	return err
}

// sums sends the list for sha256sum, if the folder has one and everything is pushed.
func (p *push) sums(ctx context.Context) error {
	if p.list == nil {
		return nil
	}
	sum := manifests.Sum(p.list)
	if size, ok := p.there[manifests.SumsFile]; ok && size == int64(len(p.list)) {
		if _, there, err := p.Bucket.head(ctx, manifests.SumsFile); err != nil || there == sum {
			return err
		}
	}
	return p.retry(ctx, manifests.SumsFile, func() error { return p.put(ctx, manifests.SumsFile, p.list, sum, nil) })
}

// delete removes objects, a thousand in a request.
func (p *push) delete(ctx context.Context, paths []string) error {
	for chunk := range slices.Chunk(paths, 1000) {
		var ids []types.ObjectIdentifier
		for _, path := range chunk {
			ids = append(ids, types.ObjectIdentifier{Key: p.key(path)})
		}
		err := p.retry(ctx, "", func() error {
			out, err := p.api.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: aws.String(p.name), Delete: &types.Delete{Objects: ids, Quiet: aws.Bool(true)}})
			if err == nil && len(out.Errors) > 0 {
				return fmt.Errorf("%s was not deleted: %s", aws.ToString(out.Errors[0].Key), aws.ToString(out.Errors[0].Code))
			}
			return err
		})
		if err != nil {
			return err
		}
		p.res.Deleted = append(p.res.Deleted, chunk...)
	}
	return nil
}
