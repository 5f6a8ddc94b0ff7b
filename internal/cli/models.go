// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// CheckedModel is the result of a check of the model in a slot of a directory.
type CheckedModel struct {
	Slot             string
	Examples, Agreed int
	Median, Slowest  time.Duration
}

// CheckModels opens the models in a directory and evaluates examples with them.
type CheckModels func(ctx context.Context, dir string) ([]CheckedModel, error)

func (a *app) models() *cobra.Command {
	const example = "  touchstone models check /var/lib/touchstone-models"
	models := &cobra.Command{Use: "models", Short: "Check models before a collector uses them", Example: example}
	models.AddCommand(&cobra.Command{
		Use:   "check DIRECTORY",
		Short: "Evaluate examples with each model of a directory",
		Long: "Opens the models of a directory, as a collector does with TOUCHSTONE_MODELS_DIR, and evaluates ten examples with each. Prints how many results agree with " +
			"those that most people would give, and how long an evaluation takes. Exits with 1 if a model cannot be loaded or used.",
		Example: example,
		Args:    arguments("DIRECTORY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			checked, err := a.stores.CheckModels(cmd.Context(), args[0])
			if err == nil && len(checked) == 0 {
				err = fmt.Errorf("no slot of %q has a model", args[0])
			}
			if err != nil {
				return &exitError{ExitFailed, err}
			}
			return a.tellModels(checked)
		},
	})
	return models
}

func (a *app) tellModels(checked []CheckedModel) error {
	type report struct {
		Slot          string  `json:"slot"`
		Examples      int     `json:"examples"`
		Agreed        int     `json:"agreed"`
		MedianMillis  float64 `json:"median_ms"`
		SlowestMillis float64 `json:"slowest_ms"`
	}
	reports, rows := make([]report, len(checked)), make([][]string, len(checked))
	for i, c := range checked {
		r := report{c.Slot, c.Examples, c.Agreed, float64(c.Median.Microseconds()) / 1000, float64(c.Slowest.Microseconds()) / 1000}
		reports[i] = r
		rows[i] = []string{r.Slot, fmt.Sprintf("%d of %d", r.Agreed, r.Examples), fmt.Sprintf("%.1f ms", r.MedianMillis), fmt.Sprintf("%.1f ms", r.SlowestMillis)}
	}
	if a.output == "json" {
		raw, err := json.Marshal(map[string]any{"models": reports})
		if err != nil {
			return err
		}
		return a.json(raw)
	}
	return a.rows([]string{"slot", "agree", "median", "slowest"}, rows)
}
