// SPDX-License-Identifier: Apache-2.0

package modelsextension

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
)

func TestMetadataServicesAreNoModelServers(t *testing.T) {
	t.Parallel()
	j := judgeOn("http://169.254.169.254/v1")
	cfg := &Config{Judges: map[string]JudgeConfig{"default": j}}
	require.ErrorContains(t, cfg.Validate(), `"judges::default::http::endpoint" must not be link-local or a metadata service`)
	j.Remote.AllowLinkLocal = true
	cfg.Judges["default"] = j
	require.NoError(t, cfg.Validate())

	// A name that comes to mean such an address is refused when it is connected to.
	j = judgeOn("http://[fe80::1]:80/v1")
	ext := start(t, &Config{Judges: map[string]JudgeConfig{"default": j}})
	judge, _ := ext.Judge("default")
	_, err := judge.Judge(t.Context(), question())
	require.True(t, fault.Is(err, fault.Unusable), err)
	require.ErrorContains(t, err, "nothing is sent to link-local addresses")
}
