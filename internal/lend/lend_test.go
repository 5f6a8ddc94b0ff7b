// SPDX-License-Identifier: Apache-2.0

package lend_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"

	"github.com/touchstone-otel/touchstone/internal/lend"
)

type host map[component.ID]component.Component

func (h host) GetExtensions() map[component.ID]component.Component { return h }

type lender struct {
	component.StartFunc
	component.ShutdownFunc
	io.Reader
}

func TestFind(t *testing.T) {
	t.Parallel()
	one, two := component.MustNewIDWithName("lender", "one"), component.MustNewIDWithName("lender", "two")
	h := host{one: &lender{}}
	found, err := lend.Find[io.Reader](h, one)
	require.NoError(t, err)
	require.Same(t, h[one], found)

	_, err = lend.Find[io.Reader](h, two)
	require.ErrorContains(t, err, `"lender/two" is not listed`)
	_, err = lend.Find[io.Writer](h, one)
	require.ErrorContains(t, err, `"lender/one" does not lend`)
}
