package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hdseg/cmd/internal/pipeline"
)

// A shardFlag is --shard: one of several parts of the records, or all of them.
type shardFlag struct{ pipeline.Shard }

// shardVariables hold the number of an array job's task; the flag then names the number of tasks alone.
var shardVariables = []string{"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"}

// withShard adds --shard.
func withShard(cmd *cobra.Command, s *shardFlag, usage string) {
	cmd.Flags().Var(s, "shard", usage+"; i/n with i from 0, or n alone where "+strings.Join(shardVariables, ", ")+" gives i")
}

func (s *shardFlag) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.I, s.Of)
}

func (s *shardFlag) Type() string { return "i/n" }

// Set reads "2/8", or "8" with the number from the environment.
func (s *shardFlag) Set(text string) error {
	first, second, ok := strings.Cut(text, "/")
	if !ok {
		second, first = first, ""
		for _, v := range shardVariables {
			if first = os.Getenv(v); first != "" {
				break
			}
		}
	}
	i, err1 := strconv.Atoi(first)
	of, err2 := strconv.Atoi(second)
	if err1 != nil || err2 != nil || of < 1 || i < 0 || i >= of {
		return fmt.Errorf("got %q, want i/n with 0 <= i < n, or n alone where the environment gives i", text)
	}
	s.I, s.Of = i, of
	return nil
}
