// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/model/modeltest"
	"github.com/touchstone-otel/touchstone/internal/testbed"
	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// ownEvaluator is a custom evaluator as the API shows it.
type ownEvaluator struct {
	Name    string           `json:"name"`
	Version string           `json:"version"`
	Input   []map[string]any `json:"input_schema"`
	Output  []map[string]any `json:"output_schema"`
	Config  struct {
		Messages []map[string]string `json:"messages"`
		LLM      map[string]any      `json:"llm_config"`
	} `json:"config"`
}

// fillIn types a text into the field of a path, in the place of what it has.
func fillIn(t *testing.T, p *browser.Page, path, text string) {
	t.Helper()
	p.UntilTrue(`document.querySelector("[data-path='` + path + `']") !== null`)
	browser.Eval[any](p, `(() => { const f = document.querySelector("[data-path='`+path+`']"); f.focus(); f.select() })()`)
	p.Press(text)
}

// A user writes an evaluator, reads at the field what is wrong with it, tries
// it, and makes a new version.
func TestOwnEvaluator(t *testing.T) {
	t.Parallel()
	var polite atomic.Bool
	judge := modeltest.NewServer(t, func(w http.ResponseWriter, r *http.Request, got modeltest.Request) {
		modeltest.JSON(map[string]any{"polite": polite.Load()})(w, r, got)
	})
	c := start(t, "extensions::models::judges::default::http::endpoint: "+judge.URL(), "extensions::models::judges::default::model: judge")
	key := keysOf(t, c, "Acme", "prd")[0]
	get := func() ownEvaluator {
		t.Helper()
		e, err := testbed.Ask[ownEvaluator](t.Context(), c, http.MethodGet, "/v2/evaluators/our-politeness", key, nil)
		require.NoError(t, err)
		return e
	}
	p := open(t, c, "/ui/evaluators")
	signIn(t, p, key)
	p.ByRole("link", "New evaluator").Click()
	p.ByRole("heading", "New evaluator")
	fill := func(path, text string) { t.Helper(); fillIn(t, p, path, text) }
	fill("name", "Our politeness")
	fill("output_schema[0].name", "polite")
	fill("model", "judge")
	p.ByRole("combobox", "Passes if it is").Choose("true")
	checkAccessible(t, p, "a new evaluator")
	p.Expect("status of 400")
	p.ByRole("button", "Create").Click()
	p.UntilTrue(`document.activeElement.dataset.path === "messages[0].content"`) // it has no text
	checkAccessible(t, p, "a new evaluator that is refused")
	fill("messages[0].content", "Is {{text}} polite?")
	p.ByRole("button", "Create").Click()

	// It is tried at once.
	p.ByRole("heading", "our-politeness")
	p.ByRole("textbox", "text *").Paste("Go away.")
	p.ByRole("button", "Run").Click()
	p.UntilTrue(`[...document.querySelectorAll(".outputs dd")].some((d) => d.innerText === "false")`)
	p.UntilTrue(`[...document.querySelectorAll(".outputs dt")].some((d) => d.innerText === "pass")`)
	was := get()
	require.Equal(t, []any{"true"}, was.Output[0]["passes"])
	require.Equal(t, "Our politeness", was.Name)
	require.Equal(t, []map[string]string{{"role": "user", "content": "Is {{text}} polite?"}}, was.Config.Messages)

	// A new version has what was changed, and the rest as it was.
	p.ByRole("link", "Edit").Click()
	p.ByRole("heading", "Edit Our politeness")
	p.ByRole("button", "Add a message").Click()
	fill("config.messages[1].content", "Think of tone, too.")
	p.Expect("status of 400")
	fill("config.llm_config.temperature", "7")
	p.ByRole("button", "Save a new version").Click()
	p.UntilTrue(`document.activeElement.dataset.path === "config.llm_config.temperature"`)
	fill("config.llm_config.temperature", "0.5")
	checkAccessible(t, p, "a new version of an evaluator")
	polite.Store(true)
	p.ByRole("button", "Save a new version").Click()
	p.ByRole("heading", "our-politeness")
	now := get()
	require.NotEqual(t, was.Version, now.Version)
	require.Len(t, now.Config.Messages, 2)
	require.Equal(t, 0.5, now.Config.LLM["temperature"]) //nolint:testifylint // it is kept as it was written
	require.Equal(t, was.Output, now.Output)
	require.Equal(t, was.Input, now.Input)

	// One of ours cannot be changed.
	p.Go(c.API + "/ui/evaluators/pii-detector/edit")
	p.Text("This evaluator is of this release and cannot be changed.")
}

// A user tries an evaluator before it is made, reads at the field what is
// wrong with it, cancels a run that takes long, and tries a new version.
func TestOwnEvaluatorIsTriedBeforeItIsSaved(t *testing.T) {
	t.Parallel()
	const slow, answer = "Take your time.", `[...document.querySelectorAll(".outputs dd")].map((d) => d.innerText).join()`
	held := make(chan struct{})
	judge := modeltest.NewServer(t, func(w http.ResponseWriter, r *http.Request, got modeltest.Request) {
		text, _ := got.Data("text")
		step := modeltest.JSON(map[string]any{"pass": strings.Contains(text, "please")})
		if text == slow {
			step = modeltest.Hold(held, step)
		}
		step(w, r, got)
	})
	c := start(t, "extensions::models::judges::default::http::endpoint: "+judge.URL(), "extensions::models::judges::default::model: judge")
	key := keysOf(t, c, "Acme", "prd")[0]
	customs := func() []ownEvaluator {
		t.Helper()
		got, err := testbed.Ask[struct{ Evaluators []ownEvaluator }](t.Context(), c, http.MethodGet, "/v2/evaluators?source=custom", key, nil)
		require.NoError(t, err)
		return got.Evaluators
	}
	p := open(t, c, "/ui/evaluators/new")
	signIn(t, p, key)
	p.ByRole("heading", "New evaluator")
	fillIn(t, p, "name", "Our politeness")
	fillIn(t, p, "output_schema[0].name", "pass")
	fillIn(t, p, "model", "judge")
	p.ByRole("button", "Run").Click()
	p.UntilTrue(`document.activeElement.dataset.path === "messages[0].content"`) // it has no text
	fillIn(t, p, "messages[0].content", "Is {{text}} polite?")
	p.ByRole("button", "Run").Click()
	p.UntilTrue(`document.activeElement.dataset.path === "input.text"`) // nothing was typed
	checkAccessible(t, p, "an evaluator whose trial is refused")
	fillIn(t, p, "input.text", "Go away.")
	p.Press("\t\r")
	p.UntilTrue(answer + ` === "false"`)
	p.UntilTrue(`document.querySelector(".results .mark.against") !== null`)
	require.Len(t, judge.Requests(), 1)
	fillIn(t, p, "input.text", slow)
	p.ByRole("button", "Run").Click()
	p.Until("the judge is asked", func() bool { return len(judge.Requests()) == 2 })
	p.ByRole("button", "Cancel").Click()
	p.Text("Cancelled.")
	close(held)
	checkAccessible(t, p, "results of an evaluator that is not made yet")
	require.Empty(t, customs(), "nothing of it is stored")
	p.ByRole("button", "Create").Click()
	p.ByRole("heading", "our-politeness")
	require.Len(t, customs(), 1)

	// What the form does not show of a version is tried with what it does.
	_, err := testbed.Ask[map[string]any](t.Context(), c, http.MethodPatch, "/v2/evaluators/our-politeness", key, map[string]any{"config": map[string]any{"llm_config": map[string]any{"top_p": 0.5, "temperature": 0.25}}})
	require.NoError(t, err)
	was := customs()
	p.Go(c.API + "/ui/evaluators/our-politeness/edit")
	p.ByRole("heading", "Edit Our politeness")
	p.Expect("status of 400")
	fillIn(t, p, "config.llm_config.temperature", "7")
	fillIn(t, p, "input.text", "Close the door, please.")
	p.ByRole("button", "Run").Click()
	p.UntilTrue(`document.activeElement.dataset.path === "config.llm_config.temperature"`)
	fillIn(t, p, "config.llm_config.temperature", "1")
	fillIn(t, p, "config.messages[0].content", "Is {{text}} kind?")
	p.ByRole("button", "Run").Click()
	p.UntilTrue(answer + ` === "true"`)
	p.UntilTrue(`document.querySelector(".results .mark.for") !== null`)
	asked := judge.Requests()[2]
	require.InDelta(t, 1, *asked.Chat().Temperature, 0)
	require.InDelta(t, 0.5, *asked.Chat().TopP, 0)
	require.Contains(t, string(asked.Body), "kind?")
	require.Equal(t, was, customs(), "the version that is saved stays as it was")
}
