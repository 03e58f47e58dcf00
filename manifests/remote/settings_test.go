package remote

import (
	"path/filepath"
	"testing"

	"hdseg/manifests"
	"hdseg/manifests/remote/s3test"
)

// The settings of a manifest go where it goes, whole or as a choice; those of an earlier one are deleted when asked.
func TestSettingsTravel(t *testing.T) {
	srv := s3test.Start(t)
	b := open(t, srv.URL, place)
	s, _ := dataSet(t, 2, 500, 1)
	m, _, err := manifests.Read(s, "horseseg")
	try(t, err)
	for _, text := range []string{"neighbors: 20\n", "neighbors: 30\n"} {
		m.Configure([]byte(text))
		digest, err := manifests.WriteListed(s, "horseseg", m)
		try(t, err)
		mustPush(t, b, s, Request{Delete: true, MaxDelete: 10})
		back, res := mustPull(t, b, Request{})
		if res.Manifest != digest {
			t.Errorf("got %s, want %s", res.Manifest.Short(), digest.Short())
		}
		tests, _ := mustPull(t, b, Request{Choice: Choice{Splits: []manifests.Split{manifests.Test}}})
		for _, at := range []*manifests.Store{back, tests} {
			if got, _, err := manifests.Read(at, "horseseg"); err != nil || got.Settings != text {
				t.Errorf("got %q, %v, want %q", got.Settings, err, text)
			}
			sums, err := at.Read(manifests.SumsFile, "")
			try(t, err)
			if listed, err := manifests.ParseSums(sums); err != nil || listed["horseseg.d/settings."+m.Config.Short()+".yaml"] != m.Config {
				t.Errorf("the list: %v, %v", listed, err)
			}
		}
	}
	found, err := filepath.Glob(filepath.Join(srv.Root, s3test.Bucket, "a", "b", "horseseg.d", "settings.*"))
	if err != nil || len(found) != 1 {
		t.Errorf("in the bucket: %v, %v, want one", found, err)
	}
	list, err := b.List(t.Context())
	if err != nil || len(list.Foreign) > 0 || len(list.DataSets) != 1 {
		t.Errorf("list: %+v, %v", list, err)
	}
}
