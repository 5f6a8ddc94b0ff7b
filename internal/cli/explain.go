// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"
)

// explained is what tables show of an explanation.
type explained struct {
	Sentence string `json:"sentence"` // also of a judge's own call
	Setups   []struct {
		SetupID    string `json:"setup_id"`
		ExternalID string `json:"external_id"`
		Deleted    bool   `json:"deleted"`
		Sentence   string `json:"sentence"`
		Evaluators []struct {
			EvaluatorType string `json:"evaluator_type"`
			Status        string `json:"status"`
			Sentence      string `json:"sentence"`
		} `json:"evaluators"`
	} `json:"setups"`
	Opinions []struct {
		Source   string `json:"source"`
		Name     string `json:"name"`
		By       string `json:"by"`
		Status   string `json:"status"`
		Sentence string `json:"sentence"`
	} `json:"opinions"`
}

func (a *app) explain() *cobra.Command {
	return &cobra.Command{
		Use:     "explain TRACE_ID SPAN_ID",
		Short:   "Explain why a span was or was not evaluated",
		Example: "  touchstone explain 0af7651916cd43dd8448eb211c80319c b7ad6b7169203331",
		Args:    arguments("TRACE_ID", "SPAN_ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := "/v2/warehouse/spans/" + url.PathEscape(args[0]) + "/" + url.PathEscape(args[1]) + "/explain"
			told, raw, err := get[explained](cmd.Context(), &a.client, path, nil)
			if err != nil {
				return err
			}
			if a.output == "json" {
				return a.json(raw)
			}
			return a.tellWhy(&told)
		},
	}
}

// tellWhy prints an explanation: what holds for all setups, each setup with its
// evaluators, and what others said.
func (a *app) tellWhy(told *explained) error {
	if _, err := fmt.Fprintln(a.out, line(told.Sentence, 500)); err != nil {
		return err
	}
	var rows [][]string
	for _, s := range told.Setups {
		name := line(cmp.Or(s.ExternalID, s.SetupID), 60)
		if s.Deleted {
			name += " (deleted)"
		}
		rows = append(rows, []string{name, "", "", line(s.Sentence, 300)})
		for _, e := range s.Evaluators {
			rows = append(rows, []string{"", line(e.EvaluatorType, 40), e.Status, line(e.Sentence, 300)})
		}
	}
	for _, o := range told.Opinions {
		name := o.Source
		if o.By != "" {
			name += ":" + o.By
		}
		rows = append(rows, []string{line(name, 60), line(o.Name, 40), o.Status, line(o.Sentence, 300)})
	}
	if len(rows) == 0 {
		return nil
	}
	return a.rows([]string{"setup or source", "evaluator", "status", "reason"}, rows)
}
