// Command hdseg rebuilds the HorseSeg and DogSeg figure-ground data sets, records where every
// mask came from, and measures with LS-CRF what each kind of annotation is worth.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
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
	a := &app{stdout: stdout, stderr: stderr, after: repeats}
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	a.endProgress()
	switch {
	case err == nil && a.skips > 0:
		return exitSkips
	case err == nil:
		return exitDone
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "hdseg: interrupted;", a.after())
		return exitInterrupted
	}
	var use *usageError
	usage := errors.As(err, &use) || strings.HasPrefix(err.Error(), "unknown command")
	for i, line := range strings.Split(err.Error(), "\n") {
		if i == 0 {
			line = "error: " + line
		}
		fmt.Fprintln(printable{stderr}, line)
	}
	if usage {
		fmt.Fprintln(stderr, "hint: hdseg help lists the commands; hdseg COMMAND --help shows flags and examples")
		return exitUsage
	}
	return exitError
}

// A usageError is a mistake on the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// exactArgs is cobra.ExactArgs with our exit code and a message that names what is expected.
func exactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return usagef("%s: got %d arguments, want %s", cmd.CommandPath(), len(args), strings.Join(names, " "))
		}
		return nil
	}
}

// noArgs refuses positional arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s: unexpected argument %q", cmd.CommandPath(), args[0])
	}
	return nil
}
