// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// Facets say what values there are and how many spans have each; a tick filters by it.
func TestFacets(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	_, err := testbed.Ask[any](t.Context(), c, http.MethodPost, "/v2/auto-monitor-setups", key, map[string]any{"external_id": "leaks", "evaluators": []string{"pii-detector"}})
	require.NoError(t, err)
	awaitLoaded(t, c, key, "leaks")
	spans := conversation(40)
	for i := range 3 {
		spans[i].output = "Your card is 4111 1111 1111 1111."
	}
	send(t, c, key, spans...)
	await(t, c, key, 40)
	p := open(t, c, "/ui/spans?t=24h")
	signIn(t, p, key)
	p.Text("40 spans")
	browser.Eval[any](p, `document.querySelector(".facets > summary").click()`)
	p.Text("Failing results")
	n := func(facet, value string) string {
		return browser.Eval[string](p, fmt.Sprintf(`[...document.querySelectorAll(".facets fieldset")].find((f) => f.querySelector("legend").innerText === %q)?.querySelectorAll("li").values().find((l) => l.querySelector(".one-line").innerText === %q)?.querySelector(".hint").innerText ?? ""`, facet, value))
	}
	require.Equal(t, "8", n("Service", "bot"))
	require.Equal(t, "32", n("Service", "shop"))
	require.Equal(t, "3", n("Failing results", "pii-detector"))
	require.NotEmpty(t, n("Status", "error"))
	checkAccessibleAt(t, p, "spans with facets", 900, screens...)

	p.ByRole("checkbox", "bot 8").Click()
	p.Text("8 spans")
	p.Until("the other value of the field", func() bool { return n("Service", "shop") == "32" && n("Failing results", "pii-detector") == "1" })
	p.ByRole("checkbox", "shop 32").Click()
	p.Text("40 spans")
	p.ByRole("checkbox", "pii-detector 3").Click()
	p.Text("3 spans")
	p.Reload()
	p.ByRole("checkbox", "pii-detector 3").Click() // they stay open
	p.Text("40 spans")
	p.ByRole("button", "Exclude bot").Click()
	p.Text("32 spans")
}
