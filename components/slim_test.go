// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// What decides is what the linker keeps: one package that looks methods up by names of
// run time makes it 10 MB larger.
func TestSlimBuildIsSmall(t *testing.T) {
	t.Parallel()
	file, err := slim()
	require.NoError(t, err)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(66_000_000))
}

// What the slim build is without, it names when it does not start.
func TestSlimBuildRefusesWhatItIsWithout(t *testing.T) {
	t.Parallel()
	file, err := slim()
	require.NoError(t, err)
	const base = `{receivers: {otlp: {protocols: {grpc: {endpoint: "127.0.0.1:0"}}}}, exporters: {nop: },
		service: {pipelines: {metrics: {receivers: [otlp], exporters: [nop]}}, telemetry: {metrics: {level: none}}}}`
	for name, c := range map[string]struct {
		settings []string
		want     string
	}{
		"expressions": {
			[]string{`processors::filter::metrics::include: {match_type: expr, expressions: ["MetricName == 'x'"]}`, `service::pipelines::metrics::processors: [filter]`},
			`"match_type: expr" is not in the slim build: use the match type "strict" or "regexp", or conditions under "metric_conditions"`,
		},
		"detection of EKS": {
			[]string{`service::telemetry::resource::detection/development::detectors: [{aws.eks: {}}]`},
			`the detector "aws.eks" is not in the slim build: name the attributes under "service::telemetry::resource"`,
		},
		"zpages": {
			[]string{`extensions::zpages: {}`, `service::extensions: [zpages]`},
			`'extensions' unknown type: "zpages"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{"--config", "yaml:" + base}
			for _, s := range c.settings {
				args = append(args, "--config", "yaml:"+s)
			}
			out, err := exec.CommandContext(t.Context(), file, args...).CombinedOutput()
			require.Error(t, err)
			require.Contains(t, string(out), c.want)
		})
	}
}
