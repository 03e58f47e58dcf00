package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"hdseg/manifests"
)

// A Request is one push or pull.
type Request struct {
	Names     []string // of manifests, without .yaml: those that others were made from first
	Archives  []Files
	Choice    Choice // of Names
	Replace   bool   // also what is not the data set's own: see mayReplace
	DryRun    bool   // change nothing, only count
	Delete    bool   // what no manifest of Names names; without Names nothing
	MaxDelete int    // but do nothing at all if that is more than this
	// push: Delete leaves what is younger and not named by the replaced manifest: another push may
	// have sent it
	Grace  time.Duration
	Verify bool // push: ask for all sha256 at the end, mend
	// push: paths, or ResendAll, that are sent again though they are there, perhaps with other
	// bytes
	Resend   []string
	Stale    time.Duration         // push: abort older uploads; 0 for none
	Progress func(done, total int) // may be nil
}

// A Result counts what was done, or, of a dry run, would be.
type Result struct {
	Manifest manifests.Digest `json:"manifest"` // of the index that is there now
	Objects  int              `json:"objects"`  // images and masks that it names
	Sent     int              `json:"sent"`     // transferred
	Bytes    int64            `json:"bytes"`    // of those, where known
	Kept     int              `json:"kept"`     // were there already
	Resent   []string         `json:"resent"`   // of --resend: found and sent again
	Deleted  []string         `json:"deleted"`  // objects that were deleted
	Young    int              `json:"young"`    // not deleted, younger than --grace
	Verified int              `json:"verified"` // objects that --verify asked for
	Repaired int              `json:"repaired"` // of those, sent again
	Aborted  []string         `json:"aborted"`  // stale uploads
	Markers  []string         `json:"markers"`  // names with content that end in "/"
	Pending  []string         `json:"pending"`  // unfinished uploads that are left

	Unguarded  bool `json:"unguarded"`   // the server ignores conditions: of two pushes both may win
	NoMetadata bool `json:"no_metadata"` // the server keeps no sha256 with objects
}

func newResult() *Result {
	return &Result{Resent: []string{}, Deleted: []string{}, Aborted: []string{}, Markers: []string{}, Pending: []string{}}
}

// ErrConflict is wrapped when another push changed the manifest meanwhile.
var ErrConflict = errors.New("another push changed the manifest meanwhile: run the same command again")

// Push sends archives, manifests of the store, and what they name. Objects that are there with the
// right size and sha256 are kept. The indexes come last, and only if they are still what they were:
// a reader never sees one that names something missing, and of two pushes at once one fails with
// ErrConflict. A push that was killed is finished by the same call.
func (b *Bucket) Push(ctx context.Context, s *manifests.Store, req Request) (*Result, error) {
	p := &push{Bucket: b, s: s, req: req, res: newResult(), trusted: map[string]manifests.Digest{}, list: newObjects()}
	if err := p.prepare(ctx); err != nil {
		return nil, err
	}
	return p.res, p.run(ctx)
}

type push struct {
	*Bucket
	s   *manifests.Store
	req Request
	res *Result

	archives []archives
	sets     []*set
	list     *objectList                 // what is pushed, without indexes and parts
	before   *listing                    // at the start
	there    *listing                    // the newest
	trusted  map[string]manifests.Digest // named by what is there
	resuming map[string]types.MultipartUpload
	leaning  int // objects and parts that are there and that no manifest named
}

func (p *push) run(ctx context.Context) error {
	p.before = p.there
	extra, err := p.extra()
	if err == nil && len(extra) > p.req.MaxDelete {
		err = fmt.Errorf("remote: %s: %d objects would be deleted, want at most %d: raise --max-delete if they are meant",
			p.Bucket, len(extra), p.req.MaxDelete)
	}
	do := func(is bool, step func(context.Context) error) {
		if is && err == nil {
			err = step(ctx)
		}
	}
	live := !p.req.DryRun
	do(true, p.unfinished)
	do(live, p.writeParts) // a server that compares has shown it then, before large files are read
	do(true, p.send)
	do(live && p.leaning > 0, p.resend) // a push with Delete may have removed what no manifest named
	do(live, p.putArchives)
	if len(p.sets) > 0 {
		do(live, p.probeSets)
		do(live, p.putIndexes)
		do(live, p.putSums)
	}
	do(live && (p.res.Sent > 0 || p.req.Delete || slices.ContainsFunc(p.sets, (*set).changes)), p.resend)
	do(live && p.req.Verify, p.verify)
	do(live && p.req.Delete, p.unchanged)
	do(live && p.req.Delete, func(ctx context.Context) error { return p.delete(ctx, extra) })
	if !live {
		p.res.Deleted = extra
	}
	return err
}

// A sending is what became of one object.
type sending struct {
	sent    bool
	bytes   int64
	leaning bool // it was there, and no manifest named it
}

func (r *Result) count(v sending) {
	r.Bytes += v.bytes
	if v.sent {
		r.Sent++
	} else {
		r.Kept++
	}
}

func (r *Request) show(done, total int) {
	if r.Progress != nil {
		r.Progress(done, total)
	}
}

// ResendAll in Request.Resend is everything that is pushed.
const ResendAll = "all"

func (r *Request) resends(path string) bool {
	return slices.Contains(r.Resend, path) || slices.Contains(r.Resend, ResendAll)
}

// resent notes a path that was sent again because its name was asked for.
func (p *push) resent(path string) {
	if slices.Contains(p.req.Resend, path) && !slices.Contains(p.res.Resent, path) {
		p.res.Resent = append(p.res.Resent, path)
	}
}

func (p *push) send(ctx context.Context) error {
	list := p.list.all
	p.res.Objects = len(list)
	return manifests.Each(ctx, p.opts.Workers, len(list), func(ctx context.Context, i int) (sending, error) {
		o := list[i]
		name, size, err := stored(p.s, o)
		if err != nil {
			return sending{}, err
		}
		trusted := p.trusted[o.Path] == o.SHA256
		if ok, err := p.kept(ctx, o, size, trusted); ok || err != nil {
			return sending{leaning: !trusted}, err
		}
		if p.req.DryRun {
			return sending{sent: true, bytes: size}, nil
		}
		var resume *types.MultipartUpload
		if u, ok := p.resuming[o.Path]; ok {
			resume = &u
		}
		return sending{sent: true, bytes: size}, p.Bucket.send(ctx, o.Path, name, size, o.SHA256, resume)
	}, func(i int, v sending, err error) error {
		if err != nil {
			return err
		}
		if v.sent {
			p.resent(list[i].Path)
		}
		if v.leaning {
			p.leaning++
		}
		p.res.count(v)
		p.req.show(i+1, len(list))
		return nil
	})
}

// kept tells whether an object is there with its size and sha256, which is not asked for where it
// is trusted, and need not be sent again.
func (p *push) kept(ctx context.Context, f File, size int64, trusted bool) (bool, error) {
	if e, ok := p.there.entries[f.Path]; !ok || e.size != size || p.req.resends(f.Path) {
		return false, nil
	}
	if trusted {
		return true, nil
	}
	_, sum, err := p.Bucket.head(ctx, f.Path)
	return sum == f.SHA256, err
}

// A set is a manifest on its way.
type set struct {
	name   string
	m      *manifests.Manifest
	sum    manifests.Digest // of the index
	index  []byte
	head   *head
	parts  [][]byte // of head.pieces()
	before          // the index that is there
}

func (t *set) changes() bool { return t.old == nil || manifests.Sum(t.old) != t.sum }

func (p *push) prepare(ctx context.Context) (err error) {
	if p.there, err = p.Bucket.list(ctx); err != nil {
		return err
	}
	p.res.Markers = append(p.res.Markers, p.there.markers...)
	for _, f := range p.req.Archives {
		if err := p.prepareArchives(ctx, f); err != nil {
			return err
		}
	}
	archived := len(p.list.all)
	for _, name := range p.req.Names {
		t, err := p.load(name)
		if err != nil {
			return err
		}
		if t.before, err = p.readIndex(ctx, name+".yaml", t.index); err != nil {
			return err
		}
		if err := p.req.Choice.spares(t.old, p.Bucket.String()+name+".yaml"); err != nil {
			return err
		}
		if err := p.trust(ctx, t); err != nil {
			return err
		}
		if err := p.list.add(objects(t.m)); err != nil {
			return err
		}
		p.sets, p.res.Manifest = append(p.sets, t), t.sum
	}
	if len(p.sets) == 0 {
		return nil
	}
	if len(p.list.all) == archived {
		return fmt.Errorf("remote: %s: no record is chosen: nothing is pushed", strings.Join(p.req.Names, ", "))
	}
	return p.spared(ctx)
}

func (p *push) load(name string) (*set, error) {
	s := p.s
	m, digest, err := manifests.Read(s, name)
	if err != nil {
		return nil, err
	}
	if !p.req.Choice.all() {
		dir, remove, err := tempDir()
		if err != nil {
			return nil, err
		}
		defer remove()
		if s, err = manifests.OpenStore(dir); err != nil {
			return nil, err
		}
		m = p.req.Choice.of(m, digest)
		if digest, err = manifests.Write(s, name, m); err != nil {
			return nil, err
		}
	}
	t := &set{name: name, m: m, sum: digest}
	if t.index, err = s.Read(name+".yaml", digest); err != nil {
		return nil, err
	}
	if t.head, err = parseHead(t.index); err != nil {
		return nil, err
	}
	for _, c := range t.head.pieces() {
		data, err := s.Read(c.Path, c.SHA256)
		if err != nil {
			return nil, err
		}
		t.parts = append(t.parts, data)
	}
	return t, nil
}

// trust reads which objects the manifest that is there names: whoever wrote it had sent them.
func (p *push) trust(ctx context.Context, t *set) error {
	was := t.m
	if t.old == nil {
		return nil
	}
	if t.changes() {
		dir, remove, err := tempDir()
		if err != nil {
			return err
		}
		defer remove()
		if was, _, err = p.readManifest(ctx, t.old, dir); err != nil {
			return nil // each object is asked instead
		}
	}
	for _, o := range objects(was) {
		p.trusted[o.Path] = o.SHA256
	}
	if h, err := parseHead(t.old); err == nil {
		for _, c := range h.pieces() {
			p.trusted[c.Path] = c.SHA256
		}
	}
	return nil
}

// extra lists, for Delete, what is there and not named by what is pushed. An index of something
// else is an error: what it names must stay. What is young and not named by the replaced indexes
// may belong to a push that runs now: it is counted and left.
func (p *push) extra() ([]string, error) {
	out := []string{}
	if !p.req.Delete || len(p.sets) == 0 {
		return out, nil
	}
	named := p.files()
	for k, e := range p.there.entries {
		if named[k] != "" || k == manifests.SumsFile || p.list.sums[k] != "" ||
			slices.ContainsFunc(p.archives, func(a archives) bool { return a.Index == k }) {
			continue
		}
		if isIndex(k) {
			return nil, fmt.Errorf("remote: %s: nothing is deleted: %s is there, too, and what it names would be: push all "+
				"together, or to a prefix of their own", p.Bucket, Printable(k))
		}
		if _, old := p.trusted[k]; !old && p.req.Grace > 0 && p.there.at.Sub(e.modified) < p.req.Grace {
			p.res.Young++
			continue
		}
		out = append(out, k)
	}
	slices.Sort(out)
	return out, nil
}

func (p *push) unfinished(ctx context.Context) error {
	list, err := p.uploads(ctx)
	if err != nil {
		return err
	}
	p.resuming = map[string]types.MultipartUpload{}
	for _, u := range list { // the newest first
		path := strings.TrimPrefix(aws.ToString(u.Key), p.prefix)
		_, taken := p.resuming[path]
		_, wanted := p.list.sums[path]
		switch {
		case wanted && !taken:
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
