// SPDX-License-Identifier: Apache-2.0

/** A command that sends a request to the API. What is typed stands in single quotes, which end nowhere else. */
export function curlOf(method: "POST" | "PUT" | "PATCH", path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    method === "POST" ? "curl -s" : `curl -s -X ${method}`,
    quoted(location.origin + path),
    '-H "Authorization: Bearer $TOUCHSTONE_API_KEY"',
    ...Object.entries({ "Content-Type": "application/json", ...headers }).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(" ");
}
