package web

import (
	"bytes"
	"cmp"
	"image/png"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"hdseg/annotate/campaign"
	"hdseg/lscrf/tools/feature"
	"hdseg/manifests"
	"hdseg/manifests/format"
	"hdseg/manifests/load"
	"hdseg/manifests/raster"
)

// A saveRequest is a mask that the page sends.
type saveRequest struct {
	Runs
	Base  int            `json:"base"`
	Save  string         `json:"save"`
	Empty bool           `json:"empty"`
	From  manifests.Tier `json:"from"`
	Tools map[string]int `json:"tools"`
	Auto  bool           `json:"auto"`
}

// save takes a mask: runs as the page sends them, or, for scripts, a PNG file with the rest of the
// request in its query.
func (s *Server) save(_ http.ResponseWriter, r *http.Request, p campaign.Person) (any, error) {
	it, err := s.campaign.Item(r.PathValue("key"))
	if err != nil {
		return nil, err
	}
	request := runsRequest
	if r.Header.Get("Content-Type") == "image/png" {
		request = pngRequest
	}
	q, err := request(r, it.Record.Image)
	if err := cmp.Or(err, checkTools(q.Tools)); err != nil {
		return nil, err
	}
	return s.campaign.Save(p, it.Key, q)
}

var toolName = regexp.MustCompile(`^[A-Za-z]{1,30}$`)

func runsRequest(r *http.Request, im manifests.Image) (campaign.SaveRequest, error) {
	var q saveRequest
	if err := receive(r, maskBody(im, 1), &q); err != nil {
		return campaign.SaveRequest{}, err
	}
	m, err := q.Runs.Mask(im.Width, im.Height)
	if err != nil {
		return campaign.SaveRequest{}, &campaign.BadRequestError{Why: err.Error()}
	}
	return campaign.SaveRequest{Mask: m, Base: q.Base, Save: q.Save, Empty: q.Empty, From: q.From, Tools: q.Tools,
		Auto: q.Auto}, nil
}

func checkTools(tools map[string]int) error {
	if len(tools) > 30 {
		return &campaign.BadRequestError{Why: "tools: want at most 30"}
	}
	for name, n := range tools {
		if !toolName.MatchString(name) || n < 0 {
			return &campaign.BadRequestError{Why: "tools: want names of 1 to 30 letters, and how often each was used"}
		}
	}
	return nil
}

// pngRequest reads a PNG file and the query
// base=N&save=NAME&empty=true&from=TIER&tools={"brush":3}; all but base may be absent.
func pngRequest(r *http.Request, im manifests.Image) (campaign.SaveRequest, error) {
	data, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maskBody(im, 1)))
	if err != nil {
		return campaign.SaveRequest{}, err
	}
	m, err := decodePNG(data, im.Width, im.Height)
	if err != nil {
		return campaign.SaveRequest{}, &campaign.BadRequestError{Why: err.Error()}
	}
	v := r.URL.Query()
	base, err := strconv.Atoi(v.Get("base"))
	if err != nil {
		return campaign.SaveRequest{}, &campaign.BadRequestError{Why: "base: want a revision"}
	}
	var tools map[string]int
	if t := v.Get("tools"); t != "" {
		if err := decode(strings.NewReader(t), &tools); err != nil {
			return campaign.SaveRequest{}, err
		}
	}
	return campaign.SaveRequest{Mask: m, Base: base, Save: v.Get("save"), Empty: v.Get("empty") == "true",
		From: manifests.Tier(v.Get("from")), Tools: tools}, nil
}

// decodePNG reads an uploaded mask of any of the usual conventions. A header that states another
// size than the picture's is refused before anything is unpacked.
func decodePNG(data []byte, width, height int) (*raster.Mask, error) {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if c.Width != width || c.Height != height {
		return nil, &campaign.BadRequestError{Why: "mask: the file is of another size than the picture"}
	}
	ix, err := format.DecodeIndexed(data, raster.Limits{MaxPixels: int64(width) * int64(height), MaxBytes: maxBody})
	if err != nil {
		return nil, err
	}
	values, err := ix.Guess()
	if err != nil {
		return nil, err
	}
	return ix.Binary(values)
}

func (s *Server) image(_ http.ResponseWriter, r *http.Request, p campaign.Person) (any, error) {
	return s.kept(r, p, "image/jpeg", "image", func(im *raster.RGB) ([]byte, error) { return encodeJPEG(im, 95) })
}

// cells sends a picture's superpixels.
func (s *Server) cells(_ http.ResponseWriter, r *http.Request, p campaign.Person) (any, error) {
	size, err := strconv.Atoi(r.PathValue("size"))
	if err != nil || size < 0 || size >= len(CellCounts) {
		return nil, campaign.ErrNotFound
	}
	return s.kept(r, p, "application/octet-stream", "cells/"+strconv.Itoa(size), func(im *raster.RGB) ([]byte, error) {
		return encodeCells(Cells(im, size)), nil
	})
}

// kept answers with what is made of a picture that the person may see, and keeps it under a name.
func (s *Server) kept(r *http.Request, p campaign.Person, kind, name string, make func(*raster.RGB) ([]byte, error)) (any, error) {
	it, err := s.visible(p, r.PathValue("key"))
	if err != nil {
		return nil, err
	}
	data, err := s.answers.get(it.Key+"/"+name, func() ([]byte, error) {
		im, err := s.picture(it)
		if err != nil {
			return nil, err
		}
		return make(im)
	})
	return &blob{kind, data, mayKeep(r, it)}, err
}

// thumb sends a small picture with the mask on it. The picture is not kept: a queue shows
// thousands.
func (s *Server) thumb(_ http.ResponseWriter, r *http.Request, p campaign.Person) (any, error) {
	it, err := s.campaign.Item(r.PathValue("key"))
	if err != nil {
		return nil, err
	}
	m, err := s.campaign.ShownMask(p, it.Key)
	if err != nil {
		return nil, err
	}
	defer load.Hold(it.Record, raster.Decoding)()
	im, err := load.Image(s.campaign.Store, it.Record)
	if err != nil {
		return nil, err
	}
	data, err := encodeJPEG(thumbnail(im, m), 80)
	return &blob{"image/jpeg", data, mayKeep(r, it)}, err
}

// mayKeep tells whether the browser may keep what it asked for: with a query that begins with the
// digest of the picture and changes with all else that the bytes depend on. The same address on
// another data set is another picture.
func mayKeep(r *http.Request, it *campaign.Item) bool {
	return strings.HasPrefix(r.URL.Query().Get("v"), string(it.Record.Image.SHA256))
}

// visible returns an item that the person may see.
func (s *Server) visible(p campaign.Person, key string) (*campaign.Item, error) {
	it, err := s.campaign.Item(key)
	if err == nil && !it.Open(p) {
		err = campaign.ErrNotFound
	}
	return it, err
}

func (s *Server) cut(_ http.ResponseWriter, r *http.Request, p campaign.Person) (any, error) {
	it, err := s.visible(p, r.PathValue("key"))
	if err != nil {
		return nil, err
	}
	im, err := s.picture(it)
	if err != nil {
		return nil, err
	}
	var q cutRequest
	if err := receive(r, maskBody(it.Record.Image, 2), &q); err != nil {
		return nil, err
	}
	pointing, err := q.pointing(im.Width, im.Height)
	if err != nil {
		return nil, &campaign.BadRequestError{Why: err.Error()}
	}
	cutter := s.cutter.Load()
	if it.Bare() {
		cutter = nil // what two people draw blind has nothing of one machine in it
	}
	if cutter != nil {
		pointing.Dense, err = s.arrays.get(it.Key, func() (*feature.Array, error) { return cutter.Array(it.Record, im) })
		if err != nil {
			return nil, err
		}
	}
	m := cutter.Cut(im, pointing, func(id string) bool { return id == it.Record.ID })
	return struct {
		Runs
		Learning bool `json:"learning"`
	}{RunsOf(m), s.learning.Load() && !it.Bare()}, nil
}
