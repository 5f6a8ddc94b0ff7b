// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// schemaOf is the schema of an evaluator, as far as its form has to show it.
type schemaOf struct {
	Config struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	} `json:"config"`
	Examples []struct {
		Input  map[string]any `json:"input"`
		Config map[string]any `json:"config"`
	} `json:"examples"`
}

// Every form fills in each of its examples, and a run of it comes to what the API
// says of the same texts; a setting that the API refuses is refused at its field.
func TestExamplesOfEveryForm(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	all, err := testbed.Ask[struct {
		Evaluators []struct {
			Slug string `json:"slug"`
		} `json:"evaluators"`
	}](t.Context(), c, http.MethodGet, "/v2/evaluators", key, nil)
	require.NoError(t, err)
	p := open(t, c, "/ui/evaluators")
	signIn(t, p, key)
	p.ByRole("link", "pii-detector")
	p.Expect("status of 4") // of what is refused, as by the API
	p.Expect("status of 501")
	for _, e := range all.Evaluators {
		schema, err := testbed.Ask[schemaOf](t.Context(), c, http.MethodGet, "/v2/evaluators/"+e.Slug+"/schema", key, nil)
		require.NoError(t, err)
		require.NotEmpty(t, schema.Examples, e.Slug)
		p.Go(c.API + "/ui/evaluators/" + e.Slug)
		p.ByRole("button", "Run")
		for i, x := range schema.Examples {
			about := fmt.Sprintf("%s, example %d", e.Slug, i)
			config := x.Config
			if config == nil {
				config = map[string]any{}
			}
			status, answer, err := c.Call(t.Context(), http.MethodPost, "/v2/evaluators/"+e.Slug+"/execute", key, map[string]any{"input": x.Input, "config": config})
			require.NoError(t, err)
			runExample(p, i)
			if status != http.StatusOK {
				var said struct {
					Error string `json:"error"`
				}
				require.NoError(t, json.Unmarshal(answer, &said), about)
				p.UntilTrue(fmt.Sprintf(`[...document.querySelectorAll(".results .problem, .field .problem")].some((f) => f.innerText.includes(%q))`, said.Error))
				continue
			}
			var outputs map[string]any
			require.NoError(t, json.Unmarshal(answer, &outputs), about)
			require.Equal(t, len(outputs), browser.Eval[int](p, `document.querySelector(".results li .outputs").children.length`), about)
			for name, value := range outputs {
				if is, boolean := value.(bool); boolean {
					got := browser.Eval[string](p, fmt.Sprintf(`[...document.querySelectorAll(".results li:first-child .outputs > div")].find((d) => d.firstElementChild.innerText === %q)?.lastElementChild.innerText`, name))
					require.Equal(t, fmt.Sprint(is), got, "%s: %s", about, name)
				}
			}
		}
		refuseSetting(p, schema)
	}
}

// runExample fills in an example and runs it until it has come to something.
func runExample(p *browser.Page, example int) {
	before := browser.Eval[int](p, `document.querySelectorAll(".results > li").length`)
	browser.Eval[any](p, fmt.Sprintf(`(() => { const s = document.querySelector("form select"); s.value = "%d"; s.dispatchEvent(new Event("change", {bubbles: true})) })()`, example))
	p.ByRole("button", "Run").Click()
	p.UntilTrue(fmt.Sprintf(`(document.querySelectorAll(".results > li").length > %d || %d >= 20) && document.querySelector(".results > li:first-child .outputs, .results > li:first-child .problem, .results > li:first-child .note") !== null`, before, before))
}

// refuseSetting types a word where the form wants a number, if it does anywhere.
func refuseSetting(p *browser.Page, schema schemaOf) {
	for name, property := range schema.Config.Properties {
		if property.Type != "number" && property.Type != "integer" {
			continue
		}
		path := "config." + name
		browser.Eval[any](p, fmt.Sprintf(`(() => { const f = document.querySelector("[data-path='%s']"); f.focus(); f.value = "seven"; f.dispatchEvent(new Event("input", {bubbles: true})) })()`, path))
		p.ByRole("button", "Run").Click()
		p.UntilTrue(fmt.Sprintf(`document.querySelector("[data-path='%s']").getAttribute("aria-invalid") === "true"`, path))
		return
	}
}

// A link to an example fills it in, going back and forth does too, and what is typed is no
// longer the example.
func TestAnExampleHasAnAddress(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	schema, err := testbed.Ask[schemaOf](t.Context(), c, http.MethodGet, "/v2/evaluators/answer-relevancy/schema", key, nil)
	require.NoError(t, err)
	filled := func(p *browser.Page, example int) {
		p.UntilTrue(fmt.Sprintf(`document.querySelector("[data-path='input.answer']")?.value === %q`, schema.Examples[example].Input["answer"]))
	}
	p := open(t, c, "/ui/evaluators/answer-relevancy?example=1")
	signIn(t, p, key)
	filled(p, 1)
	required := browser.Eval[[]string](p, `[...document.querySelectorAll("form [aria-required=true]")].map((f) => f.dataset.path)`)
	require.Equal(t, []string{"input.answer", "input.question"}, required, "the star in the label is for eyes alone")
	require.Equal(t, "1", browser.Eval[string](p, `document.querySelector("form select").value`))
	browser.Eval[any](p, `(() => { const s = document.querySelector("form select"); s.value = "2"; s.dispatchEvent(new Event("change", {bubbles: true})) })()`)
	filled(p, 2)
	p.UntilTrue(`location.search.includes("example=2")`)
	p.Back()
	filled(p, 1)
	p.ByRole("textbox", "answer *").Paste("Paris.")
	p.UntilTrue(`!location.search.includes("example") && document.querySelector("form select").value === ""`)
	p.Go(c.API + "/ui/evaluators/answer-relevancy?example=99")
	p.ByRole("button", "Run")
	require.Empty(t, browser.Eval[string](p, `document.querySelector("[data-path='input.answer']").value`))
}
