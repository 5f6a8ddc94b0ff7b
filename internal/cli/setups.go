// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) setups() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "setups",
		Short: "List setups, or apply them from files",
		Example: `  touchstone setups
  touchstone setups -o json > setups.json
  touchstone setups apply setups.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.listSetups(cmd.Context()) },
	}
	cmd.AddCommand(a.applySetups())
	return cmd
}

// shownSetup is what tables show of a setup of the API.
type shownSetup struct {
	ExternalID string `json:"external_id"`
	Status     string `json:"status"`
	InitRules  []any  `json:"init_rules"`
	UpdatedAt  string `json:"updated_at"`
	Evaluators []struct {
		EvaluatorType string `json:"evaluator_type"`
		Status        string `json:"status"`
	} `json:"evaluators"`
}

func (a *app) listSetups(ctx context.Context) error {
	all, raw, err := get[[]shownSetup](ctx, &a.client, "/v2/auto-monitor-setups", nil)
	if err != nil {
		return err
	}
	if a.output == "json" {
		return a.json(raw)
	}
	rows := make([][]string, len(all))
	for i, s := range all {
		names := make([]string, len(s.Evaluators))
		for j, e := range s.Evaluators {
			names[j] = e.EvaluatorType
			if e.Status == "failed" {
				names[j] += " (failed)"
			}
		}
		rows[i] = []string{line(s.ExternalID, 60), s.Status, fmt.Sprint(len(s.InitRules)), line(strings.Join(names, ", "), 100), s.UpdatedAt}
	}
	return a.rows([]string{"setup", "status", "rules", "evaluators", "updated"}, rows)
}

// maxBulk is how many setups the API takes at once.
const maxBulk = 100

func (a *app) applySetups() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "apply FILE…",
		Short: "Create and change setups as files say, and show the differences",
		Long: `Reads setups from YAML or JSON files, each one setup, a list of them, or {"setups": [...]}, as POST /v2/auto-monitor-setups takes them.
A setup that is as its file says stays untouched. Setups that no file names stay too. With --dry-run nothing is changed, and the
process exits with 4 if something would be.`,
		Example: `  touchstone setups apply --dry-run setups.yaml
  touchstone setups apply answers.yaml agents.yaml`,
		RunE: func(cmd *cobra.Command, files []string) error {
			if len(files) == 0 {
				return usage("FILE is missing")
			}
			wanted, err := readSetups(files)
			if err != nil {
				return err
			}
			return a.apply(cmd.Context(), wanted, dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only show what differs")
	return cmd
}

// applied is what became of one setup.
type applied struct {
	ExternalID string   `json:"external_id"`
	Action     string   `json:"action"` // create, change or none
	Changes    []change `json:"changes,omitempty"`
	Error      string   `json:"error,omitempty"`
}

// apply compares setups with those of the collector, tells what differs and
// then, unless only that was asked for, writes those that do.
func (a *app) apply(ctx context.Context, wanted []wantedSetup, dryRun bool) error {
	results := make([]applied, len(wanted))
	var send []json.RawMessage
	var sent []int
	for i, w := range wanted {
		there, err := a.stored(ctx, w.externalID)
		if err != nil {
			return err
		}
		results[i] = applied{ExternalID: w.externalID, Action: "none"}
		if there == nil {
			results[i].Action = "create"
		} else if results[i].Changes = differences(there, w.canonical); len(results[i].Changes) > 0 {
			results[i].Action = "change"
		}
		if results[i].Action != "none" {
			send, sent = append(send, w.body), append(sent, i)
		}
	}
	if a.output == "table" {
		if err := a.tell(results); err != nil {
			return err
		}
	}
	failed := 0
	for start := 0; !dryRun && start < len(send); start += maxBulk {
		end := min(start+maxBulk, len(send))
		n, err := a.write(ctx, send[start:end], sent[start:end], results)
		if err != nil {
			return err
		}
		failed += n
	}
	if a.output == "json" {
		b, err := json.Marshal(results)
		if err != nil {
			return err
		}
		if err := a.json(b); err != nil {
			return err
		}
	}
	switch {
	case failed > 0:
		return &exitError{ExitFailed, fmt.Errorf("%d of %d setups were refused: %s", failed, len(wanted), firstError(results))}
	case dryRun && len(send) > 0:
		return &exitError{ExitDiffers, fmt.Errorf("%d setups differ", len(send))}
	}
	return nil
}

// stored returns a setup of the collector in the canonical form, nil if there
// is none.
func (a *app) stored(ctx context.Context, externalID string) (map[string]any, error) {
	found, _, err := get[[]map[string]any](ctx, &a.client, "/v2/auto-monitor-setups", url.Values{"external_id": {externalID}})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return canonical(found[0]), nil
}

// write sends setups that differ, and notes what became of each.
func (a *app) write(ctx context.Context, bodies []json.RawMessage, of []int, results []applied) (failed int, err error) {
	answered, err := a.client.ask(ctx, http.MethodPost, "/v2/auto-monitor-setups/bulk", nil, map[string]any{"setups": bodies})
	if err != nil {
		return 0, err
	}
	var told struct {
		Setups []struct {
			Status string `json:"status"`
			Error  string `json:"error"`
		} `json:"setups"`
	}
	if err := json.Unmarshal(answered.body, &told); err != nil || len(told.Setups) != len(bodies) {
		return 0, &exitError{ExitFailed, fmt.Errorf("the answer does not tell what became of %d setups", len(bodies))}
	}
	for i, r := range told.Setups {
		if r.Status != "ok" {
			results[of[i]].Error = r.Error
			failed++
		}
	}
	return failed, nil
}

func firstError(results []applied) string {
	for _, r := range results {
		if r.Error != "" {
			return fmt.Sprintf("%s: %s", r.ExternalID, r.Error)
		}
	}
	return ""
}

// tell prints what differs.
func (a *app) tell(results []applied) error {
	for _, r := range results {
		word := map[string]string{"create": "+ ", "change": "~ ", "none": "  "}[r.Action]
		suffix := ""
		if r.Action == "none" {
			suffix = " (unchanged)"
		}
		if _, err := fmt.Fprintf(a.out, "%s%s%s\n", word, line(r.ExternalID, 100), suffix); err != nil {
			return err
		}
		for _, c := range r.Changes {
			if _, err := fmt.Fprintf(a.out, "    %s: %s -> %s\n", c.Field, line(c.From, 80), line(c.To, 80)); err != nil {
				return err
			}
		}
	}
	return nil
}
