// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

// hearsayTexts are sentences that deny, quote or report what an evaluator looks for, and
// do none of it: the evaluator and the sentence.
//
//go:embed texts/hearsay.tsv
var hearsayTexts string

// hearsay returns the false alarms on denials, quotations and reports, at which models of
// words are weakest: there is no bar, so that the page says how weak.
func (b *bench) hearsay(slug string) (figure, error) {
	table, err := tableOf("hearsay.tsv", hearsayTexts, 2)
	if err != nil {
		return figure{}, err
	}
	var rows []dataset.Row
	for _, row := range table {
		if row[0] == slug {
			rows = append(rows, dataset.Row{Text: row[1]})
		}
	}
	return b.alarms("own denials, quotations and reports", rows, "is_safe", false)
}
