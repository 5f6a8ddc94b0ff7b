// SPDX-License-Identifier: Apache-2.0

package rest

// headers are those of answers, by the names that operations have for them.
func headers() object {
	header := func(about string, required bool, schema object) object {
		h := object{"description": about, "schema": schema}
		if required {
			h["required"] = true
		}
		return h
	}
	text, count, positive := object{"type": "string"}, object{"type": "integer", "minimum": 0}, object{"type": "number", "minimum": 0}
	return object{
		"Language": header("The language of the text, in ISO 639-1, where the evaluator judged without a model, knows some languages only, and could tell it. GET /v2/evaluators names those that it knows: on others the verdict says little.", false, text),
		"EvaluatorBackend": header("What computed the verdict.", true,
			object{"type": "string", "enum": []string{"deterministic", "embedded", "judge", "embedding", "classifier"}}),
		"JudgeBackend":              header("What computed the verdict.", true, object{"type": "string", "enum": []string{"judge"}}),
		"EvaluatorVersion":          header("The version of the judge's prompts or of the custom evaluator, where there is one.", false, text),
		"EvaluatorDuration":         header("How long judging took, milliseconds.", true, positive),
		"EvaluatorPromptTokens":     header("Tokens that models read.", true, count),
		"EvaluatorCompletionTokens": header("Tokens that models wrote.", true, count),
		"EvaluatorCost":             header("What models took, in US dollars, by the configured prices.", true, positive),
		"EvaluatorGood":             header("Whether the verdict speaks for what was judged; absent where it speaks neither for it nor against it.", false, object{"type": "boolean"}),
		"ETag": header("Which version of the setup this is, for If-Match of an update: it changes with all that its user decides, and not with its status.", true,
			object{"type": "string", "pattern": `^"[0-9]+-[0-9a-f]{16}"$`}),
		"BundleETag":         header("Of the setups in it.", false, text),
		"CacheControl":       header("The answer holds credentials.", false, text),
		"ContentDisposition": header("attachment, with the name of the file.", true, object{"type": "string", "pattern": `^attachment; filename="[0-9a-f]{32}-[0-9a-f]{16}\.txt"$`}),
		"Location":           header("The path of the backfill.", true, text),
		"RetryAfter":         header("Seconds to wait.", true, object{"type": "integer"}),
	}
}
