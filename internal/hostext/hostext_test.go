// SPDX-License-Identifier: Apache-2.0

package hostext_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/internal/hostext"
)

type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

type provider struct {
	component.StartFunc
	component.ShutdownFunc
	io.Reader
}

func TestFind(t *testing.T) {
	t.Parallel()
	one, two := component.MustNewIDWithName("provider", "one"), component.MustNewIDWithName("provider", "two")
	h := host{one: &provider{}}
	found, err := hostext.Find[io.Reader](h, one)
	require.NoError(t, err)
	require.Same(t, h[one], found)

	_, err = hostext.Find[io.Reader](h, two)
	require.ErrorContains(t, err, `"provider/two" is not listed`)
	_, err = hostext.Find[io.Writer](h, one)
	require.ErrorContains(t, err, `"provider/one" does not provide`)
}
