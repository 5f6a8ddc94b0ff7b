// SPDX-License-Identifier: Apache-2.0

// Files inside texts: what SDKs send as data: URLs or as base64 next to a media
// type. https://www.rfc-editor.org/rfc/rfc2397

import { size } from "./format";

/** A file in base64, and of which type it says it is. */
export type Encoded = { media: string; base64: string };

const dataURL = /^data:([a-z]+\/[\w.+-]+)?(?:;[\w-]+=[^;,]{0,200})*;base64,([\w+/=-]+)$/i;
const inside = /data:([a-z]+\/[\w.+-]+)?(?:;[\w-]+=[^;,\s]{0,200})*;base64,[\w+/=-]{64,}/gi;
const long = /^[\w+/=-]{1000,}$/;

/** The file that a text is, or undefined: a data: URL, or base64 of some length. */
export function encodedOf(text: string): Encoded | undefined {
  const found = dataURL.exec(text);
  if (found !== null) return { media: (found[1] ?? "").toLowerCase(), base64: found[2] ?? "" };
  return long.test(text) && /\d/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text) ? { media: "", base64: text } : undefined;
}

/** How many bytes a file has. */
export const bytesOf = (e: Encoded) => Math.floor((e.base64.replace(/=+$/, "").length * 3) / 4);

/** A text with the type and size of each file in it in its place. */
export function withoutEncoded(text: string): string {
  if (!text.includes("base64,")) return text;
  return text.replace(inside, (all, media = "") => `[${media || "base64"}, ${size(bytesOf({ media, base64: all.slice(all.indexOf(",") + 1) }))}]`);
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const object = (value: unknown): Readonly<Record<string, unknown>> => (typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {});

/**
 * The file of a part of a message, as the conventions of providers write it:
 * image_url.url, source.data next to source.media_type, inline_data.data next to
 * inline_data.mime_type, and data or content next to mime_type.
 */
export function fileOf(part: Readonly<Record<string, unknown>>): Encoded | undefined {
  const url = text(object(part.image_url).url) || text(part.image_url) || text(part.url) || text(part.uri);
  const found = encodedOf(url);
  if (found !== undefined) return found;
  for (const at of [object(part.source), object(part.inline_data), object(part.inlineData), part]) {
    const media = text(at.media_type) || text(at.mime_type) || text(at.mimeType);
    const base64 = text(at.data) || text(at.content);
    if (media !== "" && /^[\w+/=-]{4,}$/.test(base64)) return { media: media.toLowerCase(), base64 };
  }
  return undefined;
}

const types = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const mostBytes = 8 << 20;

/** How files of the types begin. https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern */
const signatures: readonly [media: string, bytes: readonly (number | undefined)[]][] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", [0x52, 0x49, 0x46, 0x46, undefined, undefined, undefined, undefined, 0x57, 0x45, 0x42, 0x50]],
];

/** Whether a file may be shown: it says that it is a picture of a known type, and is not too large. */
export const isPicture = (e: Encoded) => types.includes(e.media) && bytesOf(e) <= mostBytes;

/** The bytes of a picture, or undefined where they are not what they say they are. */
export function pictureOf(e: Encoded): Blob | undefined {
  if (!isPicture(e)) return undefined;
  let plain: string;
  try {
    plain = atob(e.base64.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return undefined;
  }
  const bytes = Uint8Array.from(plain, (c) => c.charCodeAt(0));
  const signature = signatures.find(([media]) => media === e.media)?.[1] ?? [];
  if (!signature.every((b, i) => b === undefined || bytes[i] === b)) return undefined;
  return new Blob([bytes], { type: e.media });
}
