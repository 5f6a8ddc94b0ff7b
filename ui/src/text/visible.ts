// SPDX-License-Identifier: Apache-2.0

// Text of spans as it is shown.

// Characters that change or hide what one reads: controls but tab and line
// breaks, bidirectional controls, zero-width ones, tags, and surrogates that
// stand alone. https://www.unicode.org/reports/tr36/
const hidden =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]|[\ud800-\udfff]/gu;

/** The text with marks such as ⟨U+202E⟩ for what could not be seen. */
export function visible(text: string): string {
  return text.replace(hidden, (c) => `⟨U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** The beginning of a text on one line, at most as many characters. */
export function beginning(text: string, characters: number): string {
  const line = [...text.slice(0, 2 * characters)].slice(0, characters).join("");
  return visible(line.replace(/\s+/g, " ").trim()) + (text.length > line.length ? "…" : "");
}

/** The beginning of a text on one line that ends between words, at most as many characters. */
export function inWords(text: string, characters: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= characters) return visible(line);
  const end = line.lastIndexOf(" ", characters);
  return end < characters / 2 ? beginning(line, characters) : visible(line.slice(0, end).replace(/[,;:]$/, "")) + " …";
}

/** The beginning of a text that ends between characters. */
export function upTo(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 && length < text.length ? length - 1 : length);
}
