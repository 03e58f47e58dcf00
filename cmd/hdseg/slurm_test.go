package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hdseg/cmd/internal/demo"
	"hdseg/manifests/remote/s3test"
)

// A Slurm of two nodes builds the drawn world over S3: ingest to table, both rounds of transfer, linear models and trees. One node dies while
// it works; what it did is done again on the other. The data set has the bytes of a build on one machine.
func TestSlurm(t *testing.T) {
	longOnly(t)
	c := startSlurm(t)
	srv := s3test.Start(t)
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("HDSEG_TEST_MAIN", "1") // tasks run this binary
	t.Setenv("HDSEG_CACHE", filepath.Join(dir, "kept"))
	t.Setenv("AWS_ENDPOINT_URL", srv.URL)
	w, err := demo.Draw("sources", demo.Defaults(), func(int, int) {})
	try(t, err)
	args := []string{"build", "--voc", w.VOCDir, "--imagenet", w.ImageNetTar, "--boxes", w.BoxesTar, "--test", w.TestDir, "--set", "bench.models=[linear, trees]",
		"--set", "train.trees.trees=60", "--progress", "none"}
	must(t, append(slices.Clone(args), "-o", "plain")...)

	store := "s3://" + s3test.Bucket + "/run"
	begun := time.Now()
	out, err := runProgram(t.Context(), append(slices.Clone(args), "--runner", "slurm", "--shards", "6", "--store", store, "-j", "1", "--submit", "mem=500")...)
	if err != nil || !strings.Contains(out, "submitted 11 jobs to slurm") {
		t.Fatalf("%v: %s", err, out)
	}
	killed := c.killNode(t, "-bbox", "-label", "-features")
	c.drain(t, 5*time.Minute)
	t.Logf("six shards, a node killed during %s: %.0f s", killed, time.Since(begun).Seconds())
	status, err := runProgram(t.Context(), "build", "--status", "--store", store)
	if err != nil || !strings.Contains(status, "done: "+store+" holds the data set") {
		t.Fatalf("%v: %s\n%s", err, status, c.log())
	}
	if again := c.requeued(t); again < 1 {
		t.Errorf("no task was run again after its node died")
	}
	but := []string{"*.run.yaml", ".work/run*", ".tmp"} // times, and what is remembered of runs
	if d := differing(t, "plain", filepath.Join(srv.Root, s3test.Bucket, "run"), but...); d != "" {
		t.Errorf("one machine makes other files: %s", d)
	}
	if n := len(filesIn(t, "plain", but...)); n < 150 {
		t.Errorf("compared %d files, want 150 or more", n)
	}
}

// runProgram runs hdseg as a process of its own.
func runProgram(ctx context.Context, args ...string) (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, program, args...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A slurm is a cluster of two nodes on this machine.
type slurm struct{ dir string }

// startSlurm starts munge, a controller and two nodes on the loopback interface, and skips the test where they are not installed.
func startSlurm(t *testing.T) *slurm {
	t.Helper()
	for _, name := range []string{"slurmctld", "slurmd", "munged", "sbatch"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("SKIPPED: no Slurm (Debian's slurm-wlm and munge): %v", err)
		}
	}
	c := &slurm{t.TempDir()}
	me, err := user.Current()
	host, err2 := os.Hostname()
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	host, _, _ = strings.Cut(host, ".")
	key := make([]byte, 1024)
	rand.Read(key)
	ports := freePorts(t, 3)
	conf := fmt.Sprintf(`ClusterName=test
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[4]d
SlurmUser=%[2]s
SlurmdUser=%[2]s
AuthType=auth/munge
AuthInfo=socket=%[3]s/munge.sock
CredType=cred/munge
StateSaveLocation=%[3]s/state
SlurmdSpoolDir=%[3]s/spool-%%n
SlurmdPidFile=%[3]s/slurmd-%%n.pid
SlurmctldPidFile=%[3]s/slurmctld.pid
SlurmctldLogFile=%[3]s/slurmctld.log
SlurmdLogFile=%[3]s/slurmd-%%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=2,bf_interval=2
ReturnToService=2
SlurmdTimeout=10
MessageTimeout=5
KillWait=2
MinJobAge=3600
MpiDefault=none
NodeName=n1 NodeHostname=%[1]s NodeAddr=127.0.0.1 Port=%[5]d CPUs=1 RealMemory=1000
NodeName=n2 NodeHostname=%[1]s NodeAddr=127.0.0.1 Port=%[6]d CPUs=1 RealMemory=1000
PartitionName=all Nodes=n1,n2 Default=YES State=UP MaxTime=INFINITE
`, host, me.Username, c.dir, ports[0], ports[1], ports[2])
	for name, data := range map[string][]byte{"slurm.conf": []byte(conf), "munge.key": key} {
		try(t, os.WriteFile(filepath.Join(c.dir, name), data, 0o600))
	}
	if err := os.Chmod(c.dir, 0o755); err != nil { // munge wants it
		t.Fatal(err)
	}
	try(t, os.Mkdir(filepath.Join(c.dir, "state"), 0o755))
	t.Setenv("SLURM_CONF", filepath.Join(c.dir, "slurm.conf"))
	file := func(name string) string { return filepath.Join(c.dir, name) }
	t.Cleanup(func() {
		for _, name := range []string{"slurmd-n1.pid", "slurmd-n2.pid", "slurmctld.pid", "munged.pid"} {
			if pid := c.pid(name); pid > 0 {
				killProcess(pid)
			}
		}
	})
	for _, line := range [][]string{
		{"munged", "--force", "--key-file", file("munge.key"), "--socket", file("munge.sock"), "--pid-file", file("munged.pid"),
			"--log-file", file("munged.log"), "--seed-file", file("munged.seed")},
		{"slurmctld", "-i"}, {"slurmd", "-N", "n1"}, {"slurmd", "-N", "n2"},
	} {
		if out, err := exec.Command(line[0], line[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s\n%s", line, err, out, c.log())
		}
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		out, err := exec.Command("sinfo", "-h", "-N", "-o", "%t").CombinedOutput()
		if err == nil && strings.Count(string(out), "idle") == 2 {
			return c
		}
		if time.Now().After(deadline) {
			t.Fatalf("the nodes do not come up: %v: %s\n%s", err, out, c.log())
		}
	}
}

func freePorts(t *testing.T, n int) (ports []int) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		try(t, err)
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

func (c *slurm) pid(name string) int {
	data, _ := os.ReadFile(filepath.Join(c.dir, name))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	return pid
}

func (c *slurm) log() string {
	data, _ := os.ReadFile(filepath.Join(c.dir, "slurmctld.log"))
	return string(data[max(0, len(data)-3000):])
}

// killNode waits until the second node works on a task whose name ends in one of some ways, and kills it with all that runs there. It returns
// the name.
func (c *slurm) killNode(t *testing.T, tasks ...string) string {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		out, err := exec.Command("squeue", "-h", "-w", "n2", "-t", "R", "-o", "%j").Output()
		name := strings.TrimSpace(string(out))
		if err != nil || !slices.ContainsFunc(tasks, func(s string) bool { return strings.HasSuffix(name, s) }) {
			continue
		}
		time.Sleep(300 * time.Millisecond) // let it begin
		there := onNode("n2")
		if len(there) == 0 {
			continue // it has ended meanwhile
		}
		kill := []int{c.pid("slurmd-n2.pid")}
		for _, pid := range there { // first who would tell that they died
			if parent := parentOfProcess(pid); parent > 1 {
				kill = append(kill, parent)
			}
		}
		for _, pid := range append(kill, there...) {
			killProcess(pid)
		}
		return name
	}
	t.Fatalf("no task ran on the second node: %s", c.log())
	return ""
}

// killProcess ends a process, if it is there.
func killProcess(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		p.Kill()
	}
}

// onNode returns the processes of tasks on a node.
func onNode(node string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil || !bytes.Contains(data, []byte("SLURMD_NODENAME="+node+"\x00")) || !bytes.Contains(data, []byte("SLURM_JOB_ID=")) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func parentOfProcess(pid int) int {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(data), ") ")
	f := strings.Fields(rest)
	if len(f) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(f[1])
	return n
}

// drain waits until the queue is empty.
func (c *slurm) drain(t *testing.T, most time.Duration) {
	t.Helper()
	for deadline := time.Now().Add(most); ; time.Sleep(time.Second) {
		out, err := exec.Command("squeue", "-h", "-o", "%j %T %r").CombinedOutput()
		if err == nil && len(bytes.TrimSpace(out)) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the queue is not empty: %v\n%s\n%s", err, out, c.log())
		}
		// Slurm lets two minutes pass before it runs a task again.
		waiting, _ := exec.Command("squeue", "-h", "-r", "-t", "PD", "-o", "%i %r").Output()
		for line := range strings.Lines(string(waiting)) {
			if id, ok := strings.CutSuffix(strings.TrimSpace(line), " BeginTime"); ok {
				_ = exec.Command("scontrol", "update", "jobid="+id, "starttime=now").Run() // else it waits
			}
		}
	}
}

// requeued returns how often a task was run again.
func (c *slurm) requeued(t *testing.T) (n int) {
	t.Helper()
	out, err := exec.Command("scontrol", "show", "job").Output()
	try(t, err)
	for _, m := range regexp.MustCompile(`Restarts=(\d+)`).FindAllStringSubmatch(string(out), -1) {
		k, _ := strconv.Atoi(m[1])
		n += k
	}
	return n
}
