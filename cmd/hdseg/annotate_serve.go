package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hdseg/annotate/campaign"
	"hdseg/annotate/web"
	"hdseg/cmd/internal/pipeline"
	"hdseg/configs"
	"hdseg/lscrf/bench"
	"hdseg/lscrf/tools/dense"
	"hdseg/lscrf/tools/feature"
	"hdseg/lscrf/tools/metric"
	"hdseg/manifests"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// A serveRequest is what the flags of annotate serve say.
type serveRequest struct {
	listen, name, keys    string
	annotators, reviewers []string
	origins, renew        []string
	blind                 float64
	blindStart            string
	token, printKeys      bool
	what                  string // annotate or view
	selfReview            bool
	learn                 bool
	assign                []string
}

func (a *app) annotateServe() *cobra.Command {
	q := serveRequest{what: "annotate"}
	cmd := &cobra.Command{
		Use: "serve MANIFEST", Short: "Open the page on which people draw and review masks",
		Long: `serve opens a data set in the browser. The page has a queue, an editor and a review. All work is kept in the folder
annotate/NAME of the data set, every revision of a mask too. When masks are accepted, annotate apply writes them into a
new manifest, and boxes that people drew too.

Cuts by box or click go by what transfer learns from the manual masks. The first time on a data set it is learned when the
page starts, which takes about a minute and is kept; until then cuts go by colors alone. So do those of pictures that two
people draw blind from an empty mask.

With --learn a linear model learns while people work: from the manual masks of the data set's training pictures, and from
every mask as soon as it is accepted. Each picture then has the model's mask as a second proposal, and the queue can be
ordered by how far it and the proposal disagree. Features are computed at the start, if the data set has none.

--blind 0.1 gives a tenth of the pictures to two annotators each. They do not see each other's work. They begin with an
empty mask, or with the manifest's mask if you pass --blind-start proposal. A reviewer then sees both masks, chooses one
and may correct it. annotate agree measures how far the two agree.

Reviewers cannot accept masks that they drew themselves, or of which they changed more than a tenth, unless you pass
--self-review or only one person is named.

--assign Ann=20 gives pictures that are nobody's to Ann, in the order of the queue, until 20 that are still to be drawn are
hers; --assign Ann=FILE gives her those whose ids FILE lists, one a line. Reviewers assign pictures on the page, too. "Next"
opens a person's own pictures first, and none of another's.

Where several people are named, everybody needs a token, which is printed when a person is named for the first time. The
server listens on this machine only. With --listen another address can be given. Then --origin must say how browsers reach
the server, a proxy with TLS should stand in front, and tokens are always asked for. --renew-token NAME replaces a lost
token and ends its sessions. A person who is no longer named in --annotators or --reviewers cannot log in any more.`,
		Example: `  hdseg annotate serve out/horseseg.yaml
  hdseg annotate serve out/horseseg.yaml --annotators Ann,Ben,Cleo --reviewers Rita --blind 0.1
  hdseg annotate serve out/horseseg.yaml --listen 0.0.0.0:8443 --origin https://annotate.example.org --annotators Ann --reviewers Rita`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if q.printKeys {
				_, err := a.stdout.Write(web.DefaultKeysFile())
				return err
			}
			return a.serve(cmd, &q)
		},
	}
	a.withManifest(cmd)
	a.withDense(cmd)
	q.flags(cmd.Flags())
	return cmd
}

func (q *serveRequest) flags(f *pflag.FlagSet) {
	f.StringVar(&q.listen, "listen", "127.0.0.1:8017", "address and port; port 0 takes a free one")
	f.StringVar(&q.name, "name", "", "campaign (default: the manifest's name)")
	f.StringSliceVar(&q.annotators, "annotators", nil, "people who draw and submit")
	f.StringSliceVar(&q.reviewers, "reviewers", nil, "people who also accept, reject and reopen (default: you, if nobody is "+
		"named)")
	f.StringSliceVar(&q.origins, "origin", nil, "address by which people reach the server through a proxy, as https://annotate.example.org")
	f.Float64Var(&q.blind, "blind", 0, "share of the pictures, 0 to 1, that two annotators draw; fixed when the "+
		"campaign begins")
	f.StringVar(&q.blindStart, "blind-start", "", "what both begin with: empty (the default) or proposal, the manifest's mask; "+
		"decided when the campaign begins")
	f.BoolVar(&q.selfReview, "self-review", false, "let reviewers accept what they drew themselves; always so where one person works alone")
	f.StringSliceVar(&q.assign, "assign", nil, "pictures for a person, PERSON=NUMBER or PERSON=FILE of ids; repeatable")
	f.BoolVar(&q.learn, "learn", false, "let a model learn from accepted masks, for second proposals and an order of the queue")
	f.BoolVar(&q.token, "token", false, "ask for tokens (default: where several people are named; --token=false asks nobody on this machine)")
	f.StringSliceVar(&q.renew, "renew-token", nil, "people whose token is replaced by a new one, which is printed")
	f.StringVar(&q.keys, "keys", "", "YAML file that changes the keyboard map")
	f.BoolVar(&q.printKeys, "print-keys", false, "print the keyboard map, to begin a file for --keys, and end")
}

// people returns who works in the campaign.
func (q *serveRequest) people() (out []campaign.Person, err error) {
	add := func(flag string, role campaign.Role, names ...string) {
		for _, name := range names {
			p, wrong := campaign.NewPerson(name, role)
			if wrong != nil {
				err = cmp.Or(err, usagef("%s: %v", flag, wrong))
			} else if slices.ContainsFunc(out, func(o campaign.Person) bool { return o.Name == p.Name }) {
				err = cmp.Or(err, usagef("%s: %s is named twice", flag, p.Name))
			}
			out = append(out, p)
		}
	}
	add("--annotators", campaign.Annotator, q.annotators...)
	add("--reviewers", campaign.Reviewer, q.reviewers...)
	if len(out) == 0 {
		name := "reviewer"
		if u, err := user.Current(); err == nil && u.Username != "" {
			name = u.Username
		}
		add("your account's name: give --reviewers", campaign.Reviewer, name)
	}
	return out, err
}

func (a *app) serve(cmd *cobra.Command, q *serveRequest) error {
	people, err := q.people()
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("token") {
		q.token = len(people) > 1 // else anybody at this machine could act for a colleague
	}
	keys, err := q.keyboard()
	if err != nil {
		return err
	}
	if err := q.check(people); err != nil {
		return err
	}
	assignments, err := q.assignments(people)
	if err != nil {
		return err
	}
	set, err := a.input()
	if err != nil {
		return err
	}
	var arrays *feature.Dense
	if (configs.Dense{Dir: a.dense}).Sees() {
		if arrays, err = dense.Open(a.dense, a.by); err != nil {
			return fmt.Errorf("--dense: %w", err)
		}
	}
	l, err := listenOn(q.listen) // before the campaign: an address in use begins none
	if err != nil {
		return err
	}
	defer l.Close()
	c, err := campaign.Open(set.Store, campaignName(q.name, a.in), set.Manifest, set.Digest, campaign.Options{
		Blind: q.blind, BlindStart: q.blindStart, People: people, SelfReview: q.selfReview || len(people) == 1,
	})
	if err != nil {
		return unwritable(err, set.Store.Dir())
	}
	defer c.Close()
	for _, assign := range assignments {
		if err := assign(c); err != nil {
			return err
		}
	}
	s, err := web.New(c, web.Options{Listen: l, Origins: q.origins, People: people, Token: q.token, Renew: q.renew, Keys: keys})
	if err != nil {
		return err
	}
	a.warnAll(c.Warnings)
	a.greet(l.Addr(), q, s, people)
	defer a.learnCuts(cmd.Context(), s, set, arrays)()
	if q.learn {
		defer a.learnModel(cmd.Context(), c, arrays)()
	}
	return s.Serve(cmd.Context())
}

// check refuses flags that make no sense.
func (q *serveRequest) check(people []campaign.Person) error {
	if q.blindStart != "" && q.blindStart != campaign.StartEmpty && q.blindStart != campaign.StartProposal {
		return usagef("--blind-start %q: want %s or %s", q.blindStart, campaign.StartEmpty, campaign.StartProposal)
	}
	if !(q.blind >= 0 && q.blind <= 1) {
		return usagef("--blind %g: want 0..1", q.blind)
	}
	if err := q.checkAddresses(); err != nil {
		return err
	}
	for _, n := range q.renew {
		if !slices.ContainsFunc(people, func(p campaign.Person) bool { return p.Name == n }) {
			return usagef("--renew-token %s: want one of --annotators and --reviewers", n)
		}
	}
	if len(q.renew) > 0 && !q.asksTokens() {
		return usagef("--renew-token: no tokens are used on this machine: add --token")
	}
	return nil
}

// assignments reads --assign. What it returns gives the pictures to their people.
func (q *serveRequest) assignments(people []campaign.Person) (out []func(c *campaign.Campaign) error, err error) {
	for _, flag := range q.assign {
		name, what, ok := strings.Cut(flag, "=")
		i := slices.IndexFunc(people, func(p campaign.Person) bool { return p.Name == name })
		if !ok || what == "" {
			return nil, usagef("--assign %s: want PERSON=NUMBER, or PERSON=FILE of ids", flag)
		}
		if i < 0 {
			return nil, usagef("--assign %s: %s is none of --annotators and --reviewers", flag, name)
		}
		if n, err := strconv.Atoi(what); err == nil {
			if n < 0 {
				return nil, usagef("--assign %s: want 0 or more pictures", flag)
			}
			out = append(out, func(c *campaign.Campaign) error { _, err := c.AssignNext(people[i], n); return err })
			continue
		}
		data, err := os.ReadFile(what)
		if err != nil {
			return nil, fmt.Errorf("--assign %s: want a number, or a file of ids: %w", flag, err)
		}
		out = append(out, func(c *campaign.Campaign) error {
			var keys []string
			for id := range strings.FieldsSeq(string(data)) {
				if _, err := c.Item(campaign.Key(id)); err != nil {
					return fmt.Errorf("--assign %s: the data set has no picture %s", flag, id)
				}
				keys = append(keys, campaign.Key(id))
			}
			return c.Assign(campaign.Serving, keys, name)
		})
	}
	return out, nil
}

// keyboard returns the keys of --keys, nil for those built in.
func (q *serveRequest) keyboard() (web.Keys, error) {
	if q.keys == "" {
		return nil, nil
	}
	data, err := os.ReadFile(q.keys)
	if err != nil {
		return nil, err
	}
	keys, err := web.ParseKeys(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.keys, err)
	}
	return keys, nil
}

// checkAddresses tells whether people can reach the server by the addresses of --listen and
// --origin.
func (q *serveRequest) checkAddresses() error {
	at, err := net.ResolveTCPAddr("tcp", q.listen)
	if err != nil {
		return usagef("--listen %s: want HOST:PORT: %v", q.listen, err)
	}
	if at.IP == nil {
		at.IP = net.IPv6unspecified
	}
	for _, o := range q.origins {
		if err := web.Check(at, []string{o}); err != nil {
			return usagef("--origin: %v", err)
		}
	}
	if len(q.origins) == 0 && web.Check(at, nil) != nil {
		return usagef("--listen %s: name the address that people will use: --origin https://HOST", q.listen)
	}
	return nil
}

// asksTokens tells whether people need a token; checkAddresses has passed.
func (q *serveRequest) asksTokens() bool {
	at, err := net.ResolveTCPAddr("tcp", q.listen)
	return q.token || len(q.origins) > 0 || err != nil || !web.Loopback(at)
}

// greet prints where the page is, and the tokens of people who had none.
func (a *app) greet(at net.Addr, q *serveRequest, s *web.Server, people []campaign.Person) {
	address := "http://" + at.String()
	if len(q.origins) > 0 {
		address = strings.TrimSuffix(q.origins[0], "/")
	}
	if strings.HasPrefix(address, "http:") && !web.Loopback(at) {
		fmt.Fprintln(a.stderr, "warning: without TLS others on the network can read tokens and masks: put a proxy with TLS "+
			"before it and name it with --origin https://...")
	}
	fmt.Fprintln(a.stdout, q.what, address+"/")
	for _, p := range people {
		if t := s.Fresh[p.Name]; t != "" { // printed once: only its digest is kept
			fmt.Fprintf(a.stdout, "%s (%s) %s/#%s\n", p.Name, p.Role, address, url.Values{"name": {p.Name}, "token": {t}}.Encode())
		}
	}
}

// campaignName is the given name or that of the manifest's file.
func campaignName(name, file string) string {
	if name != "" {
		return name
	}
	base := file[strings.LastIndexAny(file, `/\`)+1:]
	return strings.TrimSuffix(base, ".yaml")
}

func (a *app) viewCommand() *cobra.Command {
	q, model := serveRequest{what: "view"}, ""
	cmd := &cobra.Command{
		Use: "view MANIFEST", Short: "Browse a data set in the browser",
		Long: `view shows a data set on the page of annotate serve, to look at only: it writes nothing. The pictures can be filtered by
split, tier, synset, predicted IoU and id. Each opens with its boxes, its masks and what is known of them.

With --model the small test pictures have the model's mask and its IoU, the lowest first; opened, they show it beside the true
mask.

It listens on this machine only, unless --listen names another address. Then a link with a token is printed, and --origin
says by which address people reach the server.`,
		Example: `  hdseg view out/horseseg.yaml
  hdseg view out/horseseg.yaml --model horse.model --listen 127.0.0.1:0`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.view(cmd, &q, model) },
	}
	a.withManifest(cmd)
	cmd.Flags().StringVar(&q.listen, "listen", "127.0.0.1:8018", "address and port; port 0 takes a free one")
	cmd.Flags().StringSliceVar(&q.origins, "origin", nil, "address by which people reach the page through a proxy")
	cmd.Flags().StringVar(&model, "model", "", "also show the masks and errors of this model")
	a.withDenseOf(cmd)
	return cmd
}

func (a *app) view(cmd *cobra.Command, q *serveRequest, model string) error {
	if err := q.checkAddresses(); err != nil {
		return err
	}
	if a.dense != "" && model == "" {
		return usagef("hdseg view: --dense is for a model: want --model too")
	}
	set, err := a.input()
	if err != nil {
		return err
	}
	l, err := listenOn(q.listen) // before the work: an address in use is known at once
	if err != nil {
		return err
	}
	defer l.Close()
	var compared *campaign.Compared
	if model != "" {
		if compared, err = a.compared(cmd, set, model); err != nil {
			return err
		}
	}
	people := []campaign.Person{{Name: "viewer", Role: campaign.Reviewer}}
	c := campaign.Browse(set.Store, set.Manifest, set.Digest, compared)
	s, err := web.New(c, web.Options{Listen: l, Origins: q.origins, People: people, ReadOnly: true})
	if err != nil {
		return err
	}
	a.endProgress()
	a.greet(l.Addr(), q, s, people)
	return s.Serve(cmd.Context())
}

// compared measures a model on the test pictures of a data set.
func (a *app) compared(cmd *cobra.Command, set *pipeline.Dataset, model string) (*campaign.Compared, error) {
	mod, err := a.readModel(model)
	if err != nil {
		return nil, err
	}
	if len(mod.Labels) != 2 {
		return nil, usagef("--model: %s has %d labels, want a model of ground and figure", model, len(mod.Labels))
	}
	test, skips, err := a.scoredPictures(cmd, set, manifests.Test, mod.Setup)
	if err != nil {
		return nil, err
	}
	for _, k := range skips {
		a.warn(k.Record + ": " + k.Detail)
	}
	if len(test) == 0 {
		a.warn("no test record has a mask and all else that the model needs, so there is nothing to compare it with")
	}
	data, err := os.ReadFile(model)
	if err != nil {
		return nil, err
	}
	show := a.stageProgress("cutting at pixels")
	out := &campaign.Compared{IoU: map[string]float64{}, Digest: manifests.Sum(data), Mask: func(r *manifests.Record) (*raster.Mask, error) {
		defer load.Hold(r, raster.Segmenting)()
		img, err := load.Image(set.Store, r)
		if err != nil {
			return nil, err
		}
		return pipeline.MaskOf(mod)(r.ID, img)
	}}
	score, err := pipeline.ScorePixels(cmd.Context(), mod, set, test, a.workers, func(i int, _ *raster.Mask) error {
		show(i+1, len(test))
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, id := range bench.IDs(test) {
		if v := metric.FigureIoU(score.Images[i]); v.OK {
			out.IoU[id] = v.V
		}
	}
	return out, nil
}

// listenOn listens on an address; one that is in use is often another view or annotate serve.
func listenOn(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, &plainError{fmt.Sprintf("--listen %s: the address is in use, perhaps by another hdseg: end that one, or give "+
			"--listen 127.0.0.1:0 for a port that is free", address), err}
	}
	return l, err
}
