// SPDX-License-Identifier: Apache-2.0

package span_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestAttributesSortAsAStableSortDoes(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 130 {
		list := make([]span.Attribute, n)
		for i := range list {
			list[i] = span.Attribute{Key: strconv.Itoa(random.IntN(n)), Value: strconv.Itoa(i)}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b span.Attribute) int { return strings.Compare(a.Key, b.Key) })
		want = slices.CompactFunc(want, func(a, b span.Attribute) bool { return a.Key == b.Key })
		require.Equal(t, span.Attributes(want), span.NewAttributes(list))
	}
}

func TestAttributesWith(t *testing.T) {
	t.Parallel()
	list := span.NewAttributes([]span.Attribute{{Key: "b", Value: "1"}})
	list = list.With("a", "2").With("c", "3").With("b", "4")
	require.Equal(t, span.Attributes{{Key: "a", Value: "2"}, {Key: "b", Value: "4"}, {Key: "c", Value: "3"}}, list)
}

func TestAttributesAsJSON(t *testing.T) {
	t.Parallel()
	list := span.Attributes{{Key: `"<`, Value: "\\\n"}, {Key: "b", Value: "日"}}
	text, err := json.Marshal(list)
	require.NoError(t, err)
	var back span.Attributes
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, list, back)

	text, err = span.Attributes(nil).MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, "{}", string(text))
	require.Error(t, json.Unmarshal([]byte(`{"a":1}`), &back))
}
