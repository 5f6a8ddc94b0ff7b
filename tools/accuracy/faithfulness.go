// SPDX-License-Identifier: Apache-2.0

package main

import "strings"

var _ = enter("faithfulness", faithfulness, "wice")

// faithfulness tells claims that their source supports from those that it
// supports in part or not.
func faithfulness(b *bench) ([]figure, error) {
	read, err := claims(b.data)
	if err != nil {
		return nil, err
	}
	verdicts := make([]verdict, len(read))
	for i, c := range read {
		got, err := b.output("is_faithful", map[string]string{"question": "", "completion": c.Text, "context": strings.Join(c.Evidence, "\n")})
		if err != nil {
			return nil, err
		}
		verdicts[i] = verdict{got: got == true, want: c.Label == "supported"}
	}
	c := tally(verdicts)
	const set = "WiCE claims, dev"
	return []figure{
		score(set, len(read), "balanced accuracy", c.balanced()),
		score(set, len(read), "recall", c.recall()), score(set, len(read), "precision", c.precision()),
	}, nil
}
