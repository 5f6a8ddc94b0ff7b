// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

var _ = enter("prompt-injection", injection, "injection-deepset", "piguard-benign", "halueval-general", "clinc-oos", "ifeval")

func injection(b *bench) ([]figure, error) {
	prompts, err := dataset.Deepset(b.data)
	if err != nil {
		return nil, err
	}
	_, prompts = dataset.Split(prompts)
	mixed, err := dataset.PIGuard(b.data, "valid")
	if err != nil {
		return nil, err
	}
	full, err := dataset.IFEval(b.data)
	if err != nil {
		return nil, err
	}
	_, full = dataset.Split(full)
	var figures []figure
	for _, set := range []struct {
		name string
		rows []dataset.Row
	}{{"deepset, groups held out", prompts}, {"PIGuard valid, never trained on", mixed}} {
		made, err := b.withROC(set.name, set.rows, "has_injection", true, among(dataset.Injection))
		if err != nil {
			return nil, err
		}
		figures = append(figures, made...)
	}
	harmless, err := b.harmless("has_injection", true, 0.03)
	if err != nil {
		return nil, err
	}
	got, err := b.verdicts(full, "has_injection", true, among())
	if err != nil {
		return nil, err
	}
	return slices.Concat(figures, harmless, []figure{tally(got).falseAlarms("IFEval prompts, held out")}), nil
}
