// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"slices"

	"github.com/touchstone-otel/touchstone/tools/models/dataset"
)

var _ = enter("sexism-detector", sexism, "edos-sexism", "piguard-benign", "halueval-general", "clinc-oos", "guest-misogyny", "jigsaw-madlibs-half")

var (
	//go:embed texts/sexism_harmless.txt
	sexismHarmless string
	//go:embed texts/sexism_at_large.txt
	sexismAtLarge string
)

func sexism(b *bench) ([]figure, error) {
	posts, err := b.heldOut("guest-misogyny", 10)
	if err != nil {
		return nil, err
	}
	var figures []figure
	for _, set := range []struct {
		split, name   string
		f1, calibrate float64
	}{{"test", "EDOS, test", 0.66, 0.05}, {"dev", "EDOS, dev", 0, 0.1}, {"", "Reddit posts (Guest), held out", 0.55, 0.1}} {
		rows, want := posts, among("1")
		if set.split != "" {
			if rows, err = dataset.EDOS(b.data, set.split); err != nil {
				return nil, err
			}
			want = among("sexist")
		}
		made, err := b.withROC(set.name, rows, "is_safe", false, want)
		if err != nil {
			return nil, err
		}
		made[atCalibration] = made[atCalibration].upTo(set.calibrate)
		if set.f1 > 0 {
			made[atF1] = made[atF1].from(set.f1)
		}
		figures = append(figures, made...)
	}
	identities, err := b.identities("sexism-detector")
	if err != nil {
		return nil, err
	}
	own, err := b.alarms("own kind and plain sentences about women and men", lines(sexismHarmless), "is_safe", false)
	if err != nil {
		return nil, err
	}
	atLarge, err := b.alarms("own sentences about the rights, work and figures of women and men at large", lines(sexismAtLarge), "is_safe", false)
	if err != nil {
		return nil, err
	}
	hearsay, err := b.hearsay("sexism-detector")
	if err != nil {
		return nil, err
	}
	harmless, err := b.harmless("is_safe", false, 0.01)
	return slices.Concat(figures, identities, []figure{own.upTo(0.03), atLarge.upTo(0.03).missing(0.1, "27.5 % before such sentences were made up for training, 12.5 % before what is said of women was judged as if it were said of people; none of these was made up for it"), hearsay}, harmless), err
}
