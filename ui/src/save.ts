// SPDX-License-Identifier: Apache-2.0

// Files that the browser keeps.

const lasting = 60_000; // milliseconds for the browser to take a file

/** Saves a file. Its name is made of ids and times: no text of spans gets into it. */
export function saveFile(name: string, parts: readonly BlobPart[], type: string) {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const a = document.createElement("a");
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), lasting);
}
