// SPDX-License-Identifier: Apache-2.0

// The tokens of Markdown, in a file of their own that is loaded when the user
// first asks for Markdown. https://spec.commonmark.org/

import MarkdownIt, { type Token } from "markdown-it";

const parser = new MarkdownIt({ html: false, linkify: false, typographer: false, maxNesting: 40 });

export const tokensOf = (text: string): Token[] => parser.parse(text, {});
