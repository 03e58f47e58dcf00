// Command hdseg rebuilds the HorseSeg and DogSeg figure-ground data sets, records where every
// mask came from, and measures with LS-CRF what each kind of annotation is worth.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hdseg/configs"
	"hdseg/manifests"
	"hdseg/manifests/format"
)

// Exit codes, the same for every command.
const (
	exitDone        = 0
	exitError       = 1
	exitUsage       = 2
	exitSkips       = 3 // done, but some records were left out; the summary counts them by reason
	exitInterrupted = 130
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the whole program: it returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // it is under nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	a := &app{stdout: stdout, stderr: stderr, args: args, after: repeats}
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if a.release != nil {
		a.release()
	}
	a.endProgress()
	if err != nil && ctx.Err() == nil {
		for _, dir := range a.fresh {
			removeEmpty(dir)
		}
	}
	switch {
	case err == nil && a.skips > 0 && !a.okSkips:
		return exitSkips
	case err == nil:
		return exitDone
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		a.fail(cmd, "interrupted", err.Error(), a.after(), exitInterrupted)
		fmt.Fprintln(stderr, "hdseg: interrupted;", a.after())
		return exitInterrupted
	}
	err = inWords(err)
	kind, hint, code := "error", "", exitError
	if use := new(usageError); errors.As(err, &use) || strings.HasPrefix(err.Error(), "unknown command") {
		kind, code = "usage", exitUsage
		hint = cmd.CommandPath() + " --help shows its flags and examples"
		if cmd == root {
			hint = "hdseg help lists the commands"
		}
	}
	a.fail(cmd, kind, err.Error(), hint, code)
	fmt.Fprintln(printable{stderr}, "error: "+err.Error())
	if hint != "" {
		fmt.Fprintln(stderr, "hint:", hint)
	}
	return code
}

// A failure is what --json prints for a command that ended without a result.
type failure struct {
	Command string    `json:"command"`
	Version string    `json:"version"`
	Error   errorInfo `json:"error"`
}

// An errorInfo says what went wrong.
type errorInfo struct {
	Kind     string `json:"kind"`      // usage, error or interrupted
	Message  string `json:"message"`   // what the line on stderr says
	Hint     string `json:"hint"`      // what to do; may be empty
	ExitCode int    `json:"exit_code"` // 1, 2 or 130
}

// fail prints an error as JSON, if --json asks for it and no result was printed.
func (a *app) fail(cmd *cobra.Command, kind, message, hint string, code int) {
	asked := a.json || slices.Contains(a.args, "--json") // it may stand behind a flag that is wrong
	if a.reported || !asked {
		return
	}
	a.printJSON(failure{strings.TrimPrefix(cmd.CommandPath(), "hdseg "), manifests.Version, errorInfo{kind, message, hint, code}})
}

// A usageError is a mistake on the command line.
type usageError struct{ error }

// usage makes an error a mistake on the command line; nil stays nil.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &usageError{err}
}

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// exactArgs is cobra.ExactArgs with our exit code and a message that names what is expected.
func exactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(names) == 0 && len(args) > 0 {
			return usagef("%s: unexpected argument %q", cmd.CommandPath(), args[0])
		}
		if len(args) != len(names) {
			return usagef("%s: got %s, want %s", cmd.CommandPath(), plural(len(args), "argument", "arguments"), strings.Join(names, " "))
		}
		return nil
	}
}

// ofCommands is what a command does that has commands of its own and nothing else: it lists them.
func ofCommands(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return usagef("%s: unknown command %q%s", cmd.CommandPath(), args[0], configs.Meant(args[0], names))
}

type versionResult struct {
	summary
	Revision string `json:"revision,omitempty"` // commit of the build; "+" behind it: with changes
	Go       string `json:"go"`                 // version of Go
	OS       string `json:"os"`                 // operating system
	Arch     string `json:"arch"`               // processor
}

func (r *versionResult) table(w *bytes.Buffer) {
	at := ""
	if r.Revision != "" {
		at = "revision " + r.Revision + ", "
	}
	fmt.Fprintf(w, "hdseg %s (%s%s, %s/%s)\n", r.Version, at, r.Go, r.OS, r.Arch)
}

func newVersion() *versionResult {
	return &versionResult{newSummary("version"), manifests.Revision(), runtime.Version(), runtime.GOOS, runtime.GOARCH}
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version, and the commit it was built from", Args: exactArgs(),
		Example: "  hdseg version --json",
		RunE: func(*cobra.Command, []string) error {
			a.silent = true
			return a.report(newVersion())
		},
	}
}

// commandLine returns the command that runs, as a shell takes it: a report keeps it to be run
// again.
func commandLine() string { return shellLine(append([]string{"hdseg"}, os.Args[1:]...)...) }

// commandOf is the command of a build without what has no part in the result: OUT stands for where
// it goes, and how it runs is left out. Builds of equal bytes have one.
func commandOf(line []string) string {
	out := []string{"hdseg"}
	for i := 0; i < len(line); i++ {
		name, _, joined := strings.Cut(line[i], "=")
		short := len(name) > 2 && (strings.HasPrefix(name, "-o") || strings.HasPrefix(name, "-j"))
		switch {
		case slices.Contains([]string{"-o", "--out", "-j", "--jobs", "--progress", "--from", "--runner", "--shards", "--store",
			"--submit", "--endpoint", "--calibrate"}, name):
			if !joined {
				i++
			}
		case short, name == "--json", name == "--verify-sources", name == "--ingest-here", name == "--exit-ok-skips":
		default:
			out = append(out, line[i])
		}
	}
	return shellLine(append(out, "-o", "OUT")...)
}

// shellLine returns a command as a shell takes it.
func shellLine(args ...string) string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = format.Shell(a)
	}
	return strings.Join(out, " ")
}

// again returns a command of the program as it was called, ready to paste.
func again(args ...string) string {
	program := format.Shell(os.Args[0])
	if strings.Contains(filepath.ToSlash(os.Args[0]), "/go-build") { // go run made it for once
		program = "go run ./cmd/hdseg"
	}
	return program + " " + shellLine(args...)
}

// A once is a flag of one value. A second value that differs is refused, for the first would be
// forgotten without a word.
type once struct {
	pflag.Value
	given bool
}

func (o *once) Set(value string) error {
	was := o.String()
	if err := o.Value.Set(value); err != nil {
		return err
	}
	if o.given && o.String() != was {
		return fmt.Errorf("was already given as %q: give the flag once; separate the values of a list by commas", was)
	}
	o.given = true
	return nil
}

// eachOnce makes every flag of a command and those below it, but lists, a once.
func eachOnce(cmd *cobra.Command) {
	for _, flags := range []*pflag.FlagSet{cmd.PersistentFlags(), cmd.Flags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			_, list := f.Value.(pflag.SliceValue)
			if _, done := f.Value.(*once); !list && !done {
				f.Value = &once{Value: f.Value}
			}
		})
	}
	for _, c := range cmd.Commands() {
		eachOnce(c)
	}
}

// A printable writer shows control characters, and what is not UTF-8, as escapes: tables hold what
// manifests of other people say, and a terminal obeys those. Line breaks and tabs are the tables'
// own.
type printable struct{ to io.Writer }

func (p printable) Write(data []byte) (int, error) {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			out = fmt.Appendf(out, `\x%02x`, data[i])
		case r == '\n' || r == '\t' || !control(r):
			out = append(out, data[i:i+n]...)
		case r < 0x80:
			out = fmt.Appendf(out, `\x%02x`, r)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	_, err := p.to.Write(out)
	return len(data), err
}

// control tells of a character that is no text: control characters, and those that change the
// direction of what follows.
func control(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
