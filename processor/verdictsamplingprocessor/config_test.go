// SPDX-License-Identifier: Apache-2.0

package verdictsamplingprocessor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/internal/configtest"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	configtest.Check(t, createDefaultConfig())

	cfg := createDefaultConfig().(*Config)
	require.NoError(t, configtest.Load(t, component.NewID(Type), cfg))
	want := createDefaultConfig().(*Config)
	want.Policies = []Policy{{Name: "failures", Share: 1, Verdicts: []Verdict{verdictFail}}}
	require.Equal(t, want, cfg)

	cfg = createDefaultConfig().(*Config)
	require.NoError(t, configtest.Load(t, component.NewIDWithName(Type, "full"), cfg))
	half, most := 0.5, 0.75
	require.Equal(t, &Config{
		DecisionWait: time.Second, Answer: answerHeld, Otherwise: 0.05, EnvironmentAttribute: "deployment.environment.id",
		MaxTraces: 10, MaxMiB: 2, RememberedTraces: 20,
		Policies: []Policy{
			{Name: "failures", Share: 1, Verdicts: []Verdict{verdictFail, verdictFailed}},
			{
				Name: "unjudged", Share: 0.01, Verdicts: []Verdict{verdictSkipped, verdictOwed, verdictNone},
				Setups: []string{"5f1c7b0e-0000-4000-8000-000000000001"}, Evaluators: []string{"pii-detector"},
			},
			{Name: "tones", Share: 0.5, Output: "tone", Values: []string{"anger", "disgust"}},
			{
				Name: "scores", Share: 0.25, Verdicts: []Verdict{verdictPass, verdictScored}, Evaluators: []string{"tone-detection"},
				Output: "score", AtLeast: &half, AtMost: &most,
			},
		},
	}, cfg)
}

func TestWrongConfigurationsNameTheirSettings(t *testing.T) {
	t.Parallel()
	err := configtest.Load(t, component.NewIDWithName(Type, "wrong"), createDefaultConfig())
	for _, problem := range []string{
		`"decision_wait" must be above 0s and at most 10m`, `"answer" must be decided or held`, `"otherwise" must be above 0`,
		`"environment_attribute" must not be empty`, `"max_traces" must be`, `"max_mib" must be`, `"remembered_traces" must be`,
		`"policies[0]::name" must be there`, `"policies[0]::share" must be above 0`, `"policies[0]::verdicts[0]" must be one of [pass fail`,
		`"policies[0]::setups" must not`, `"policies[0]::evaluators" must not`,
		`"policies[1]::name" must be there, must not be "otherwise"`, `"policies[1]::share"`, `"policies[1]::output" must name the output`,
		`"policies[2]::values" goes without`, `"policies[2]::at_most" must be a number`,
		`"policies[3]::name"`, `"policies[3]::at_most" must not be less than "at_least"`, `"policies[3]::verdicts" must not hold none`, `"policies[3]::verdicts" must not hold owed`,
	} {
		require.ErrorContains(t, err, problem)
	}
	require.NotContains(t, err.Error(), `"policies[2]::name"`)

	err = configtest.Load(t, component.NewIDWithName(Type, "empty"), createDefaultConfig())
	require.EqualError(t, err, `"policies" must be 1 to 64`)
	many := createDefaultConfig().(*Config)
	many.Policies = make([]Policy, maxPolicies+1)
	require.ErrorContains(t, many.Validate(), `"policies" must be 1 to 64`)
}
