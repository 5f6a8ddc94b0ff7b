// SPDX-License-Identifier: Apache-2.0

//go:build ui

package browser

import (
	"context"
	"encoding/json"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Element is something on a page that has a role and a name.
type Element struct {
	p    *Page
	node *accessibility.Node
}

// All returns what has this role and name in the accessibility tree. An empty
// name is any.
func (p *Page) All(role, name string) []*Element {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	document, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: "document"})
	require.NoError(p.t, err)
	found, err := chromedp.Call(ctx, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{
		ObjectID: document.Result.ObjectID, Role: role, AccessibleName: name,
	})
	if err != nil {
		return nil // the page is being left
	}
	var elements []*Element
	for _, n := range found.Nodes {
		if !n.Ignored {
			elements = append(elements, &Element{p, n})
		}
	}
	return elements
}

// ByRole waits until there is exactly one element with this role and name.
func (p *Page) ByRole(role, name string) *Element {
	p.t.Helper()
	var found []*Element
	p.Until(role+" "+name, func() bool {
		found = p.All(role, name)
		return len(found) == 1
	})
	return found[0]
}

// Gone waits until there is no such element.
func (p *Page) Gone(role, name string) {
	p.t.Helper()
	p.Until("no "+role+" "+name, func() bool { return len(p.All(role, name)) == 0 })
}

// Name is the element's name.
func (e *Element) Name() string {
	var name string
	if e.node.Name != nil {
		_ = json.Unmarshal(e.node.Name.Value, &name)
	}
	return name
}

// Focused reports whether the element has the focus.
func (e *Element) Focused() bool {
	return e.call("function () { return this === document.activeElement }") == "true"
}

// Value is what the field holds.
func (e *Element) Value() string {
	var value string
	_ = json.Unmarshal([]byte(e.call("function () { return this.value }")), &value)
	return value
}

// stands resolves when the element is where it was two frames before, or after a
// hundred frames: what loads above it moves it away from under the mouse.
const stands = `async function () {
	const frame = () => new Promise((done) => requestAnimationFrame(done));
	const place = () => { const r = this.getBoundingClientRect(); return [r.x, r.y, r.width, r.height].join(); };
	let was = place();
	for (let n = 0; n < 100; n++) {
		await frame();
		await frame();
		const is = place();
		if (is === was) return;
		was = is;
	}
}`

// watches notes in the window whether the next click goes past the element and
// its label.
const watches = `function () {
	window.missed = false;
	window.addEventListener('click', (e) => {
		window.missed = !e.composedPath().includes(this) && e.target.closest('label')?.control !== this;
	}, {once: true, capture: true});
}`

// Click clicks into the middle with the mouse, once the element stands still, and
// again when the element moved away from under the mouse.
func (e *Element) Click() {
	e.p.t.Helper()
	const tries = 5
	for range tries {
		e.click()
		missed, err := evaluate[bool](e.p, "window.missed === true")
		if err != nil || !missed { // an error: the click led to another document
			return
		}
	}
	require.FailNow(e.p.t, "clicks go past "+e.Name(), e.p.describe())
}

func (e *Element) click() {
	e.p.t.Helper()
	id := e.node.BackendDOMNodeID
	_, err := chromedp.Call(e.p.ctx, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{BackendNodeID: id})
	require.NoError(e.p.t, err)
	e.call(stands)
	found, err := chromedp.Call(e.p.ctx, dom.GetContentQuads, dom.GetContentQuadsParams{BackendNodeID: id})
	require.NoError(e.p.t, err)
	require.NotEmpty(e.p.t, found.Quads, "%s is not shown", e.Name())
	e.call(watches)
	q := found.Quads[0]
	e.p.ClickAt((q[0]+q[2]+q[4]+q[6])/4, (q[1]+q[3]+q[5]+q[7])/4)
}

// Paste puts the focus into a field and a text at the cursor, at once as from a
// clipboard.
func (e *Element) Paste(text string) {
	e.p.t.Helper()
	_, err := chromedp.Call(e.p.ctx, dom.Focus, dom.FocusParams{BackendNodeID: e.node.BackendDOMNodeID})
	require.NoError(e.p.t, err)
	_, err = chromedp.Call(e.p.ctx, input.InsertText, input.InsertTextParams{Text: text})
	require.NoError(e.p.t, err)
}

// Choose chooses an option of a select by its value.
func (e *Element) Choose(value string) {
	e.p.t.Helper()
	e.call("function (v) { this.value = v; this.dispatchEvent(new Event('change', {bubbles: true})) }", value)
}

// call calls a function of the page with the element as this, and returns what
// it gives as JSON.
func (e *Element) call(function string, arguments ...string) string {
	e.p.t.Helper()
	object, err := chromedp.Call(e.p.ctx, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: e.node.BackendDOMNodeID})
	require.NoError(e.p.t, err)
	params := runtime.CallFunctionOnParams{FunctionDeclaration: function, ObjectID: object.Object.ObjectID, ReturnByValue: new(true), AwaitPromise: new(true)}
	for _, a := range arguments {
		value, err := json.Marshal(a)
		require.NoError(e.p.t, err)
		params.Arguments = append(params.Arguments, &runtime.CallArgument{Value: value})
	}
	got, err := chromedp.Call(e.p.ctx, runtime.CallFunctionOn, params)
	require.NoError(e.p.t, err)
	require.Nil(e.p.t, got.ExceptionDetails)
	return string(got.Result.Value)
}
