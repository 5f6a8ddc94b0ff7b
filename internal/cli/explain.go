// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"net/url"

	"github.com/spf13/cobra"
)

func (a *app) explain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain TRACE_ID SPAN_ID",
		Short: "Say for each setup why it judged a span, or why not",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "/v2/warehouse/spans/" + url.PathEscape(args[0]) + "/" + url.PathEscape(args[1]) + "/explain"
			told, raw, err := get[struct {
				Setups []struct {
					ExternalID string `json:"external_id"`
					Matched    bool   `json:"matched"`
					Sentence   string `json:"sentence"`
					Evaluators []struct {
						EvaluatorType string `json:"evaluator_type"`
						Status        string `json:"status"`
						Sentence      string `json:"sentence"`
					} `json:"evaluators"`
				} `json:"setups"`
			}](cmd.Context(), &a.client, path, nil)
			if err != nil {
				return err
			}
			if a.output == "json" {
				return a.json(raw)
			}
			var rows [][]string
			for _, s := range told.Setups {
				rows = append(rows, []string{line(s.ExternalID, 40), "", "", line(s.Sentence, 300)})
				for _, e := range s.Evaluators {
					rows = append(rows, []string{"", line(e.EvaluatorType, 40), e.Status, line(e.Sentence, 300)})
				}
			}
			return a.rows([]string{"setup", "evaluator", "status", "why"}, rows)
		},
	}
}
