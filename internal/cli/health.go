// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"
)

func (a *app) health() *cobra.Command {
	return &cobra.Command{
		Use:   "health",
		Short: "Check whether the collector works, and with a key how far evaluation is behind",
		Long:  "Exits with 0 if the collector works, and with 3 if it does not answer or cannot do its work. Fit for a container's health check.",
		Example: `  touchstone health
  touchstone health -o json --url https://touchstone.example`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			told, _, err := get[map[string]any](cmd.Context(), &a.client, "/health", nil)
			if err != nil {
				return err
			}
			if a.client.key != "" {
				behind, _, err := get[map[string]any](cmd.Context(), &a.client, "/v2/monitoring/status", nil)
				if err != nil {
					return err
				}
				told["monitoring"] = behind
			}
			b, err := json.Marshal(told)
			if err != nil {
				return err
			}
			if a.output == "json" {
				return a.json(b)
			}
			return a.rows([]string{"what", "value"}, flattened(told))
		},
	}
}

// flattened returns the members of JSON objects as rows of path and value.
func flattened(v map[string]any) [][]string {
	var rows [][]string
	for _, key := range slices.Sorted(maps.Keys(v)) {
		if below, ok := v[key].(map[string]any); ok {
			for _, r := range flattened(below) {
				rows = append(rows, []string{key + "." + r[0], r[1]})
			}
			continue
		}
		rows = append(rows, []string{key, line(fmt.Sprint(v[key]), 120)})
	}
	return rows
}
