// SPDX-License-Identifier: Apache-2.0

package evaluationconnector

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/internal/configtest"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	configtest.Check(t, NewFactory().CreateDefaultConfig())

	cfg := defaults()
	require.NoError(t, configtest.Load(t, component.MustNewID("evaluation"), cfg))
	require.Equal(t, defaults(), cfg)

	require.NoError(t, configtest.Load(t, component.MustNewIDWithName("evaluation", "full"), cfg))
	require.Equal(t, &Config{
		IncludeExplanations: true, EnvironmentAttribute: "deployment.environment.id", Labels: []string{"mood.mood", "topic.topic"},
	}, cfg)

	err := configtest.Load(t, component.MustNewIDWithName("evaluation", "wrong"), defaults())
	require.ErrorContains(t, err, `"environment_attribute" must not begin with "touchstone."`)
	require.ErrorContains(t, err, `"labels[0]" must be <slug>.<output>`)
	require.ErrorContains(t, err, `"labels[2]"`)
	require.ErrorContains(t, err, `"labels[3]"`)
	require.NotContains(t, err.Error(), `"labels[1]"`)

	spaced := &Config{EnvironmentAttribute: " environment"}
	require.ErrorContains(t, spaced.Validate(), `"environment_attribute" must not begin or end with a space`)
}
