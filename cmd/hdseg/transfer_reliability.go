package main

import (
	"fmt"
	"io"

	"hdseg/transfer"
)

// reliabilityTable prints what predicted IoUs are worth, of the rows that have any.
func reliabilityTable(w io.Writer, rows []transfer.Row) error {
	head := true
	for _, row := range rows {
		if len(row.Reliability) == 0 {
			continue
		}
		if head {
			fmt.Fprintf(w, "\n%-8s %-6s %9s %9s   %s\n%35s", "class", "tier", "predicted", "true IoU", "masks of at least this predicted IoU: number, share truly of at least this IoU, mean true IoU", "")
			for _, c := range row.Reliability {
				fmt.Fprintf(w, " %17g", c.At)
			}
			fmt.Fprintln(w)
			head = false
		}
		fmt.Fprintf(w, "%-8s %-6s %9s %9s", row.Class, row.Tier, row.Predicted.Format(3), row.Actual.Format(3))
		for _, c := range row.Reliability {
			fmt.Fprintf(w, " %17s", fmt.Sprintf("%d %4s%% %s", c.Masks, c.Truly.Scale(100).Format(0), c.IoU.Format(3)))
		}
		fmt.Fprintln(w)
	}
	return nil
}
