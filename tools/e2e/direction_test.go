// SPDX-License-Identifier: Apache-2.0

//go:build ui

package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/tools/e2e/browser"
)

// Arabic and Hebrew begin at the right and English at the left, in a list, in a message
// paragraph by paragraph, and where one types.
func TestTextsRunInTheirOwnDirection(t *testing.T) {
	t.Parallel()
	c := start(t)
	key := keysOf(t, c, "Acme", "prd")[0]
	send(t, c, key, sent{
		name: "محادثة مع العميل chat", service: "חנות", model: "gpt-4o", ago: time.Minute,
		output: "عاصمة فرنسا هي باريس (Paris).\nThe capital is Paris.",
	})
	await(t, c, key, 1)
	p := open(t, c, "/ui/spans")
	signIn(t, p, key)
	p.Text("باريس")
	// leftOf reports whether of two texts in an element the one stands left of the other.
	leftOf := func(element, a, b string) bool {
		return browser.Eval[bool](p, fmt.Sprintf(`((element, ...wanted) => {
			const place = (what) => {
				const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
				for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
					const at = text.data.indexOf(what);
					if (at < 0) continue;
					const range = document.createRange();
					range.setStart(text, at);
					range.setEnd(text, at + what.length);
					return range.getBoundingClientRect().left;
				}
				throw new Error("no " + what);
			};
			return place(wanted[0]) < place(wanted[1]);
		})(document.querySelector(%q), %q, %q)`, element, a, b))
	}
	require.True(t, leftOf(".spanlist td.name", "chat", "محادثة"), "what follows an Arabic word stands left of it")
	require.True(t, leftOf(".spanlist td.output", "Paris", "عاصمة"))
	browser.Eval[any](p, `document.querySelector(".spanlist button.open").click()`)
	p.UntilTrue(`document.querySelector(".panel .words > p") !== null`)
	require.True(t, leftOf(".panel h2", "chat", "محادثة"))
	require.True(t, leftOf(".panel .words > p", "Paris", "عاصمة"))
	require.True(t, leftOf(".panel .words > p", "The", "capital"))
	right := browser.Eval[float64](p, `(() => {
		const p = document.querySelector(".panel .words > p");
		const range = document.createRange();
		range.setStart(p.firstChild, 0);
		range.setEnd(p.firstChild, 1);
		return p.getBoundingClientRect().right - range.getBoundingClientRect().right;
	})()`)
	require.Less(t, right, 2.0, "it begins at the right edge")
	p.Press("o")
	p.UntilTrue(`document.querySelector("[role=row] .text") !== null`)
	require.True(t, leftOf("[role=row] .text", "chat", "محادثة"))
	p.Go(c.API + "/ui/evaluators/word-count")
	p.ByRole("textbox", "text *").Paste("كم عدد الكلمات؟")
	require.Equal(t, "rtl", browser.Eval[string](p, `getComputedStyle(document.activeElement).direction`))
}
