//go:build linux

package manifests

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The tests run themselves as other processes: $HDSEG_TEST_CHILD says as which.
func TestMain(m *testing.M) {
	child := map[string]func(*Store) error{"writer": childWriter, "putter": childPutter, "limited": childLimited, "reads": childReads, "stages": childStages}[os.Getenv("HDSEG_TEST_CHILD")]
	if child == nil {
		os.Exit(m.Run())
	}
	s, err := OpenStore(os.Getenv("HDSEG_TEST_STORE"))
	if err == nil {
		err = child(s)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

func startChild(t *testing.T, s *Store, as string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "HDSEG_TEST_CHILD="+as, "HDSEG_TEST_STORE="+s.Dir())
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c, bufio.NewReader(out)
}

func childWriter(s *Store) error {
	all := states()
	fmt.Println("ready")
	for i := 0; ; i++ {
		if _, _, err := s.Put("images", fmt.Sprint(i%500), "bin", []byte(strings.Repeat(fmt.Sprint(i), 5000))); err != nil {
			return err
		}
		if _, err := WriteListed(s, "a", all[i%len(all)]); err != nil {
			return err
		}
	}
}

// Killed at any time, the writer leaves one of the manifests that it wrote, its list, and no file under a name that its
// bytes do not have.
func TestKill(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	var want []Digest
	for _, m := range states() {
		d, err := Write(testStore(t), "a", m)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, d)
	}
	if _, err := WriteListed(s, "a", states()[0]); err != nil {
		t.Fatal(err)
	}
	seen := map[Digest]int{}
	for range 10 {
		c, out := startChild(t, s, "writer")
		if line, err := out.ReadString('\n'); err != nil || line != "ready\n" {
			t.Fatalf("the writer says %q, %v", line, err)
		}
		time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond)
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		c.Wait()
		s, err := OpenStore(s.Dir())
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := Read(s, "a")
		if err != nil || !slices.Contains(want, got) {
			t.Fatalf("got %s, %v, want one of %v", got, err, want)
		}
		seen[got]++
		if listed(t, s)["a.yaml"] != got {
			t.Errorf("%s lists %s, want the index's %s", SumsFile, listed(t, s)["a.yaml"], got)
		}
		names, left := files(t, s.Dir())
		if left != 0 {
			t.Errorf("%d temporary files are left", left)
		}
		for _, p := range names {
			if strings.HasPrefix(p, "images/") {
				data, err := s.Read(p, "")
				if err != nil || !strings.Contains(p, "."+Sum(data).Short()+".") {
					t.Errorf("%s has other bytes, %v", p, err)
				}
			}
		}
	}
	t.Logf("manifests found: %v", seen)
}

func childPutter(s *Store) error {
	fmt.Println("ready")
	for i := range 150 {
		data := []byte(strings.Repeat(fmt.Sprint(i), 100))
		p, d, err := s.Put("images", fmt.Sprint(i), "bin", data)
		if err == nil {
			_, err = s.Read(p, d)
		}
		if err == nil {
			err = s.Replace("last", data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Opening a store takes nothing away from a process that is writing to it.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	c, out := startChild(t, s, "putter")
	defer c.Process.Kill()
	if line, err := out.ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	done := make(chan error, 1)
	go func() {
		rest, _ := out.ReadString(0)
		if err := c.Wait(); err != nil {
			done <- fmt.Errorf("%w: %s", err, rest)
		}
		close(done)
	}()
	opened := 0
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			if names, _ := files(t, s.Dir()); len(names) != 151 {
				t.Errorf("got %d files, want 151", len(names))
			}
			t.Logf("opened %d times meanwhile", opened)
			return
		default:
			if _, err := OpenStore(s.Dir()); err != nil {
				t.Error(err)
			}
			opened++
		}
	}
}

// childLimited has a limit on the size of files, which fails like a full disk in the middle of a file.
func childLimited(s *Store) error {
	signal.Ignore(unix.SIGXFSZ)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 100_000, Max: 100_000}); err != nil {
		return err
	}
	return failsForSpace(s, unix.EFBIG)
}

// failsForSpace writes more than there is room for and wants the error, the old files, and nothing left over.
func failsForSpace(s *Store, want error) error {
	big := make([]byte, 4<<20)
	if _, _, err := s.Put("images", "a", "bin", big); !errors.Is(err, want) {
		return fmt.Errorf("Put: got %w, want %w", err, want)
	}
	if err := s.Replace("a.yaml", big); !errors.Is(err, want) {
		return fmt.Errorf("Replace: got %w, want %w", err, want)
	}
	m := states()[1]
	if _, err := Write(s, "a", m); !errors.Is(err, want) {
		return fmt.Errorf("Write: got %w, want %w", err, want)
	}
	left, err := os.ReadDir(s.temp())
	if err != nil || len(left) > 0 {
		return fmt.Errorf("%d temporary files are left, %w", len(left), err)
	}
	got, _, err := Read(s, "a")
	if err != nil || len(got.Records) != len(states()[0].Records) {
		return fmt.Errorf("the old manifest is gone: %w", err)
	}
	if _, _, err := s.Put("images", "a", "bin", big[:1000]); err != nil {
		return fmt.Errorf("a small file after the big one: %w", err)
	}
	return nil
}

func TestFileSizeLimit(t *testing.T) {
	s := testStore(t)
	if _, err := Write(s, "a", states()[0]); err != nil {
		t.Fatal(err)
	}
	c, out := startChild(t, s, "limited")
	rest, _ := out.ReadString(0)
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, rest)
	}
	if names, _ := files(t, s.Dir()); !slices.ContainsFunc(names, func(p string) bool { return filepath.Dir(p) == "images" }) || len(names) != 4 {
		t.Errorf("got %v, want a manifest of three files and one image", names)
	}
}

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("no file system to fill: mounting one needs root: %v", err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	s, err := OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(s, "a", states()[0]); err != nil {
		t.Fatal(err)
	}
	if err := failsForSpace(s, unix.ENOSPC); err != nil {
		t.Error(err)
	}
}

func TestReadOnlyStore(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("no file system to make read-only: mounting one needs root: %v", err)
	}
	defer unix.Unmount(dir, unix.MNT_DETACH)
	s, err := OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Write(s, "a", states()[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.temp(), "1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if _, _, got, err := ReadFile(filepath.Join(dir, "a.yaml")); err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if err := s.Replace("b", nil); !ReadOnly(err) {
		t.Errorf("got %v", err)
	}
}
