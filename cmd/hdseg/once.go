package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A once is a flag of one value. A second value that differs is refused, for the first would be forgotten without a word.
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
		return fmt.Errorf("was given before as %q: give the flag once, a list as one value (see --help)", was)
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
