// SPDX-License-Identifier: Apache-2.0

// What sends spans here, as lines that can be pasted.

/** Ways to send spans, in the order in which they are offered. */
export const ways = ["variables", "curl", "python", "node", "openllmetry"] as const;
export type Way = (typeof ways)[number];

/** Values of headers are percent-encoded, as the variable wants them. */
const variables = (endpoint: string, key: string) => [
  `export OTEL_EXPORTER_OTLP_ENDPOINT="${endpoint}"`,
  'export OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf"',
  `export OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20${key}"`,
];

const message = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: "text", content }] }]);

/** A call of a model as OTLP has it; the shell fills in its times and ids. */
const call = JSON.stringify({
  resourceSpans: [
    {
      resource: { attributes: [{ key: "service.name", value: { stringValue: "my-app" } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: "$(hex 16)", spanId: "$(hex 8)", name: "chat", kind: 3, startTimeUnixNano: "$(date +%s)000000000", endTimeUnixNano: "$(date +%s)500000000",
              attributes: Object.entries({
                "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-4o",
                "gen_ai.input.messages": message("user", "When do backups run?"), "gen_ai.output.messages": message("assistant", "Backups run each night at 02:00."),
              }).map(([key, stringValue]) => ({ key, value: { stringValue } })),
            },
          ],
        },
      ],
    },
  ],
});

/** The lines of a way: for a shell, or for the program itself. */
export const linesOf: Readonly<Record<Way, (endpoint: string, key: string) => readonly string[]>> = {
  variables,
  curl: (endpoint, key) => [
    "hex() { od -An -N$1 -tx1 /dev/urandom | tr -d ' \\n'; }",
    `curl -s ${endpoint}/v1/traces -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d @- <<END`,
    call.replaceAll("\\", "\\\\"),
    "END",
  ],
  python: (endpoint, key) => [
    "pip install opentelemetry-distro opentelemetry-exporter-otlp opentelemetry-instrumentation-openai-v2",
    ...variables(endpoint, key),
    'export OTEL_SERVICE_NAME="my-app"',
    "export OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true",
    "opentelemetry-instrument python app.py",
  ],
  node: (endpoint, key) => [
    "// npm install @traceloop/node-server-sdk",
    'import * as traceloop from "@traceloop/node-server-sdk";',
    "",
    `traceloop.initialize({ appName: "my-app", baseUrl: "${endpoint}", apiKey: "${key}" });`,
  ],
  openllmetry: (endpoint, key) => [
    "# pip install traceloop-sdk",
    "from traceloop.sdk import Traceloop",
    "",
    `Traceloop.init(app_name="my-app", api_endpoint="${endpoint}", api_key="${key}")`,
  ],
};
