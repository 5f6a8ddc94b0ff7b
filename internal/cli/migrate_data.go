// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-otel/touchstone/internal/store/move"
)

// DataMove says what "migrate data" moves, and where it reports progress.
type DataMove struct {
	From          []string // locations of the source's configuration
	FromDirectory string   // or its data directory
	To            []string // locations of the target's configuration
	Tell          func(move.Progress)
	Warn          func(message string)
}

// MigrateData moves the data of one configuration to the servers of another. The result is
// not nil where both sides were compared, whatever the error says.
type MigrateData func(ctx context.Context, d DataMove) (*move.Result, error)

func (a *app) migrateData() *cobra.Command {
	var d DataMove
	c := &cobra.Command{
		Use:   "data",
		Short: "Move the data of DuckDB and SQLite to ClickHouse and PostgreSQL",
		Long: "Copies all data of a stopped collector to the servers that --config names, then reads both sides again and compares them: spans, evaluations " +
			"with all their revisions, messages, pending evaluations, organizations, keys and setups. Run it again after an interruption, and it continues. " +
			"The target must not be in use, and serves requests only when the copy is complete. The source does not change.",
		Example: `  touchstone migrate data --from-directory data --config gateway.yaml
  touchstone migrate data --from config.yaml --config gateway.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case len(d.To) == 0:
				return usage("--config is required, as a collector of the target has it")
			case (len(d.From) == 0) == (d.FromDirectory == ""):
				return usage("either --from, as the collector of the source has its --config, or --from-directory is required")
			}
			s := &steps{app: a}
			d.Tell = s.tell
			d.Warn = func(message string) { _, _ = fmt.Fprintln(a.err, "touchstone:", line(message, 500)) }
			r, err := a.stores.MigrateData(cmd.Context(), d)
			s.stop()
			if r != nil {
				if told := a.tellMoved(r); told != nil {
					err = errors.Join(err, told)
				}
			}
			if err != nil {
				return &exitError{ExitFailed, err}
			}
			return nil
		},
	}
	c.Flags().StringArrayVar(&d.To, "config", nil, "location of the target's configuration, as the collector takes it; may be repeated")
	c.Flags().StringArrayVar(&d.From, "from", nil, "location of the source's configuration, as the collector takes it; may be repeated")
	c.Flags().StringVar(&d.FromDirectory, "from-directory", "", "data directory of the source, in the place of its configuration")
	return c
}

// linesEvery is the time between two lines that tell how far a step is.
const linesEvery = 10 * time.Second

// steps tells how far a move is: with a bar on a terminal, and otherwise with lines, at
// the beginning and the end of a step and now and then.
type steps struct {
	app  *app
	step string
	bar  *bar
	last time.Time // when a line was written
}

func (s *steps) tell(p move.Progress) {
	begins := p.Step != s.step
	if begins {
		s.stop()
		s.step, s.bar = p.Step, s.app.progress(true, p.Step)
	}
	if s.bar.writer != nil {
		s.bar.at(p.Done, p.Total)
		return
	}
	if begins || p.Done >= p.Total || time.Since(s.last) >= linesEvery {
		s.last = time.Now()
		_, _ = fmt.Fprintf(s.app.err, "%s: %d of %d\n", p.Step, p.Done, p.Total)
	}
}

func (s *steps) stop() {
	if s.bar != nil {
		s.bar.stop()
	}
}

func (a *app) tellMoved(r *move.Result) error {
	if a.output == "json" {
		b, err := json.Marshal(r)
		if err != nil {
			return err
		}
		return a.json(b)
	}
	if r.Already {
		if _, err := fmt.Fprintln(a.out, "It was moved before, and nothing was changed. This came of it then:"); err != nil {
			return err
		}
	}
	var rows [][]string
	for i := range r.Environments {
		rows = append(rows, movedRow(&r.Environments[i]))
	}
	if err := a.rows([]string{"organization", "environment", "spans", "evaluations", "messages", "pending", "digest", "target"}, rows); err != nil {
		return err
	}
	if len(r.Tables) > 0 {
		rows = rows[:0]
		for _, t := range r.Tables {
			rows = append(rows, []string{t.Table, strconv.FormatInt(t.Rows, 10)})
		}
		if err := a.rows([]string{"table", "rows"}, rows); err != nil {
			return err
		}
	}
	l := &r.Left
	_, err := fmt.Fprintf(a.out, "left behind: %d spans and %d messages past their retention, %d spans and %d messages of deleted organizations\n",
		l.ExpiredSpans, l.ExpiredMessages, l.OwnerlessSpans, l.OwnerlessMessages)
	return err
}

// movedRow shows what both sides have of an environment: of the target what differs.
func movedRow(e *move.Environment) []string {
	both := func(source, target int64) string {
		if source == target {
			return strconv.FormatInt(source, 10)
		}
		return fmt.Sprintf("%d, not %d", target, source)
	}
	state := "equal"
	if !e.Equal {
		state = "DIFFERS"
	}
	return []string{
		line(e.Organization, 60), line(e.Slug, 60),
		both(e.Source.Spans, e.Target.Spans), both(e.Source.Evaluations, e.Target.Evaluations),
		both(e.Source.Messages, e.Target.Messages), both(e.Source.Owed, e.Target.Owed), e.Source.Digest[:16], state,
	}
}
