// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/evaluators"
	"github.com/touchstone-otel/touchstone/internal/store"
)

func TestEvaluationsOfASpanAreBounded(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	var slugs []string
	for _, e := range evaluators.Catalog().All()[:30] {
		slugs = append(slugs, fmt.Sprintf("%q", e.Slug))
	}
	setup := func(name, selector string, n int) string {
		return fmt.Sprintf(`{"external_id":%q,"selector":{%s},"evaluators":[%s]}`, name, selector, strings.Join(slugs[:n], ","))
	}
	for i := range 6 { // 180 of every span
		h.create(t, key, setup(fmt.Sprintf("all%d", i), "", 30))
	}
	r := h.call(t, http.MethodPost, setupsPath, key, setup("seventh", "", 30))
	require.Equal(t, http.StatusBadRequest, r.status)
	require.Equal(t, "evaluators: with the other auto monitor setups there would be 210 evaluations of one span, and at most 200 are made", r.message(t))
	h.create(t, key, setup("small", "", 10))
	r = h.call(t, http.MethodPost, setupsPath, key, setup("picked", `"a":"b"`, 11))
	require.Contains(t, r.message(t), "201 evaluations")

	r = h.call(t, http.MethodPut, setupsPath+"/small", key, setup("small", "", 21))
	require.Contains(t, r.message(t), "201 evaluations")
	require.Equal(t, http.StatusOK, h.call(t, http.MethodPut, setupsPath+"/small", key, setup("small", "", 9)).status)
	h.create(t, key, setup("picked", `"a":"b"`, 11))
	h.create(t, key, setup("picked too", `"a":"c"`, 11)) // no span has both
	bulk := h.bulk(t, key, setup("picked", `"a":"b"`, 12)+","+setup("all0", "", 1)+","+setup("picked too", `"a":"b"`, 12))
	require.Equal(t, "error", bulk.Setups[0].Status)
	require.Contains(t, bulk.Setups[0].Error, "setups[0].evaluators: with the other auto monitor setups there would be 201 evaluations")
	require.Equal(t, "ok", bulk.Setups[1].Status)
	require.Equal(t, "ok", bulk.Setups[2].Status)
}

func TestSetupsOfAnEnvironmentAreBounded(t *testing.T) {
	t.Parallel()
	h := newTestAPI(t)
	key := h.newKey(t)
	for batch := range store.MaxSetups / 100 {
		items := make([]string, 100)
		for i := range items {
			items[i] = fmt.Sprintf(`{"external_id":"s%d","selector":{"a":"b"},"evaluators":["char-count"]}`, 100*batch+i)
		}
		for _, item := range h.bulk(t, key, strings.Join(items, ",")).Setups {
			require.Equal(t, "ok", item.Status, item.Error)
		}
	}
	r := h.call(t, http.MethodPost, setupsPath, key, `{"external_id":"more","selector":{"a":"b"},"evaluators":["char-count"]}`)
	require.Equal(t, http.StatusBadRequest, r.status)
	require.Equal(t, "an environment may have at most 1000 auto monitor setups of its own", r.message(t))
}
