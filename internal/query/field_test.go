// SPDX-License-Identifier: Apache-2.0

package query

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/touchstone-otel/touchstone/internal/fault"
	"github.com/touchstone-otel/touchstone/internal/span"
)

func TestIDsFindTheirField(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]Field{
		"environment":                          {Kind: FieldColumn, Name: "environment"},
		"timestamp":                            {Kind: FieldColumn, Name: "timestamp"},
		"trace_id":                             {Kind: FieldColumn, Name: "trace_id"},
		"span_id":                              {Kind: FieldColumn, Name: "span_id"},
		"parent_span_id":                       {Kind: FieldColumn, Name: "parent_span_id"},
		"trace_state":                          {Kind: FieldColumn, Name: "trace_state"},
		"span_name":                            {Kind: FieldColumn, Name: "span_name"},
		"span_kind":                            {Kind: FieldColumn, Name: "span_kind"},
		"service_name":                         {Kind: FieldColumn, Name: "service_name"},
		"service.name":                         {Kind: FieldColumn, Name: "service_name"},
		"scope_name":                           {Kind: FieldColumn, Name: "scope_name"},
		"scope_version":                        {Kind: FieldColumn, Name: "scope_version"},
		"duration":                             {Kind: FieldColumn, Name: "duration"},
		"duration_ms":                          {Kind: FieldColumn, Name: "duration"},
		"status_code":                          {Kind: FieldColumn, Name: "status_code"},
		"status_message":                       {Kind: FieldColumn, Name: "status_message"},
		"prompts":                              {Kind: FieldColumn, Name: "prompts"},
		"completions":                          {Kind: FieldColumn, Name: "completions"},
		"input":                                {Kind: FieldColumn, Name: "input"},
		"output":                               {Kind: FieldColumn, Name: "output"},
		"workflow":                             {Kind: FieldAlias, Name: span.AliasWorkflow},
		"traceloop.workflow.name":              {Kind: FieldAlias, Name: span.AliasWorkflow},
		"platform.workflow.name":               {Kind: FieldAlias, Name: span.AliasWorkflow},
		"traceloop_workflow_name":              {Kind: FieldAlias, Name: span.AliasWorkflow},
		"entity":                               {Kind: FieldAlias, Name: span.AliasEntity},
		"platform.entity.name":                 {Kind: FieldAlias, Name: span.AliasEntity},
		"total_tokens":                         {Kind: FieldAlias, Name: span.AliasTotalTokens},
		"llm.usage.total_tokens":               {Kind: FieldAlias, Name: span.AliasTotalTokens},
		"llm.usage.input_tokens":               {Kind: FieldAlias, Name: span.AliasInputTokens},
		"llm.usage.output_tokens":              {Kind: FieldAlias, Name: span.AliasOutputTokens},
		"llm.vendor":                           {Kind: FieldAlias, Name: span.AliasVendor},
		"llm.request.model":                    {Kind: FieldAlias, Name: span.AliasRequestModel},
		"llm.response.model":                   {Kind: FieldAlias, Name: span.AliasResponseModel},
		"llm_response_model":                   {Kind: FieldAlias, Name: span.AliasResponseModel},
		"gen_ai.operation.name":                {Kind: FieldAttribute, Name: "gen_ai.operation.name"},
		"gen_ai.usage.input_tokens":            {Kind: FieldAttribute, Name: "gen_ai.usage.input_tokens"},
		"Trace_ID":                             {Kind: FieldAttribute, Name: "Trace_ID"},
		"span_attributes.":                     {Kind: FieldAttribute, Name: "span_attributes."},
		"span_attributes.trace_id":             {Kind: FieldSpanAttribute, Name: "trace_id"},
		"span_attributes.llm.vendor":           {Kind: FieldSpanAttribute, Name: "llm.vendor"},
		"span_attributes.evaluation.e.o":       {Kind: FieldEvaluation, Name: "e", Output: "o"},
		"span_attributes.gen_ai.prompt.0.role": {Kind: FieldMessage, Name: "llm.prompts.0.role"},
		"resource_attributes.service.name":     {Kind: FieldResourceAttribute, Name: "service.name"},
		"resource_attributes.evaluation.e.o":   {Kind: FieldResourceAttribute, Name: "evaluation.e.o"},
		"evaluation.char-count.char_count":     {Kind: FieldEvaluation, Name: "char-count", Output: "char_count"},
		"llm.prompts.0.content":                {Kind: FieldMessage, Name: "llm.prompts.0.content"},
		"gen_ai.prompt.12.tool_calls.0.name":   {Kind: FieldMessage, Name: "llm.prompts.12.tool_calls.0.name"},
		"llm.completions.0.finish_reason":      {Kind: FieldMessage, Name: "llm.completions.0.finish_reason"},
		"gen_ai.completion.1.role":             {Kind: FieldMessage, Name: "llm.completions.1.role"},
		"gen_ai.prompt.x.role":                 {Kind: FieldAttribute, Name: "gen_ai.prompt.x.role"},
		"gen_ai.prompt.1":                      {Kind: FieldAttribute, Name: "gen_ai.prompt.1"},
		"gen_ai.prompt..role":                  {Kind: FieldAttribute, Name: "gen_ai.prompt..role"},
		"gen_ai.prompt.1.":                     {Kind: FieldAttribute, Name: "gen_ai.prompt.1."},
	} {
		got, err := ParseField(id)
		require.NoError(t, err, id)
		require.Equal(t, want, got, id)
	}
}

func TestIDsThatAddressNothing(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"span_attributes": "must name an attribute: span_attributes.<key>", "resource_attributes": "must name an attribute: resource_attributes.<key>",
		"evaluation.": "must have the form", "evaluation.a": "must have the form", "evaluation..b": "must have the form", "span_attributes.evaluation.a.": "must have the form",
	} {
		_, err := ParseField(id)
		require.Equal(t, fault.Invalid, fault.KindOf(err), id)
		require.ErrorContains(t, err, want, id)
	}
}
