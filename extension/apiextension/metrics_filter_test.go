// SPDX-License-Identifier: Apache-2.0

package apiextension

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMetricsAreFilteredAsClientsDo(t *testing.T) {
	t.Parallel()
	l, start := newMeasured(t)
	filter := func(field, operator, value string) string {
		return fmt.Sprintf(`{"field":%q,"operator":%q,"value":%s}`, field, operator, value)
	}
	const words, score, tone, relevant = "word-count.word_count", "tone-detection.score", "tone-detection.tone", "answer-relevancy.is_relevant"
	all := map[string]int{words: 6, score: 3, tone: 3, relevant: 3}
	for filters, want := range map[string]map[string]int{
		filter("labels.agent_name", "equals", `"agent-1"`):                                                         {words: 3, relevant: 3},
		filter("labels.agent_name", "eq", `"agent-0"`):                                                             {words: 3, score: 3, tone: 3},
		`{"field":"labels.env","operator":"in","values":["prd","dev"]}`:                                            all,
		filter("labels.env", "in", `["dev"]`):                                                                      {},
		filter("labels.environment", "not_equals", `"dev"`):                                                        all,
		filter("labels.org_id", "equals", `"x"`):                                                                   {},
		filter("organization_id", "equals", strconv.Quote(l.env.OrganizationID)):                                   all,
		filter("labels.env_project_id", "contains", `"-"`):                                                         all,
		filter("labels.entity_type", "not_in", `["span"]`):                                                         {},
		filter("labels.entity_type", "not_contains", `"trace"`):                                                    all,
		`{"field":"labels.entity_type","operator":"exists"}`:                                                       all,
		`{"field":"labels.entity_type","operator":"not_exists"}`:                                                   {},
		filter("bool_value", "equals", `true`):                                                                     {relevant: 1},
		filter("bool_value", "equals", `"false"`):                                                                  {relevant: 2},
		filter("numeric_value", "equals", `40.0`):                                                                  {words: 1},
		filter("numeric_value", "greater_than", `"29.5"`):                                                          {words: 3},
		filter("numeric_value", "less_than_or_equal", `0.25`):                                                      {words: 1, score: 2},
		filter("enum_value", "in", `["anger","x"]`):                                                                {tone: 1},
		filter("enum_value", "starts_with", `"jo"`):                                                                {tone: 2},
		`{"field":"enum_value","operator":"exists"}`:                                                               {tone: 3},
		filter("trace_id", "equals", `"01010000000000000000000000000000"`):                                         {words: 2, score: 1, tone: 1, relevant: 1},
		filter("labels.span_id", "equals", `"0200020000000000"`):                                                   {words: 1, score: 1, tone: 1},
		filter("service_name", "contains", `"ho"`):                                                                 {words: 6, score: 3, tone: 3, relevant: 3},
		filter("labels.vendor", "not_equals", `"openai"`):                                                          {},
		filter("labels.model", "in", `["gpt-2"]`):                                                                  {words: 2, score: 1, tone: 1, relevant: 1},
		filter("labels.workflow_name", "equals", `"w"`):                                                            all,
		filter("labels.run_id", "equals", `"s1"`):                                                                  {words: 6},
		filter("labels.user", "equals", `"u1"`):                                                                    {words: 3, score: 1, tone: 1, relevant: 2},
		filter("attributes.user", "equals", `"u0"`):                                                                {words: 3, score: 2, tone: 2, relevant: 1},
		filter("attributes.llm.vendor", "equals", `"openai"`):                                                      all,
		filter("attributes.service.name", "equals", `"shop"`):                                                      all,
		filter("event_time", "greater_than_or_equal", strconv.FormatInt(start.Add(5*time.Second).UnixMilli(), 10)): {words: 1, relevant: 1},
		filter("metric_name", "equals", `"answer relevancy"`):                                                      {relevant: 3},
		filter("labels.metric_name", "not_equals", `"tone_detection"`):                                             {words: 6, relevant: 3},
		filter("metric_name", "not_equals", `"tone-detection.score"`):                                              {words: 6, tone: 3, relevant: 3},
		filter("metric_name", "in", `["Word Count","answer-relevancy"]`):                                           {words: 6, relevant: 3},
		filter("metric_name", "in", `["tone-detection.tone","evaluation.tone-detection.score"]`):                   {score: 3, tone: 3},
		filter("metric_name", "contains", `"relevancy"`):                                                           {relevant: 3},
		filter("metric_name", "starts_with", `"tone d"`):                                                           {score: 3, tone: 3},
		`{"field":"metric_name","operator":"exists"}`:                                                              all,
		filter("labels.evaluator_name", "equals", `"word-count"`):                                                  {words: 6},
		filter("labels.metric_source", "equals", `"llm as a judge"`):                                               {relevant: 3},
		filter("labels.metric_source", "not_equals", `"llm_as_a_judge"`):                                           {words: 6, score: 3, tone: 3},
		filter("labels.metric_source", "equals", `"answer_relevancy"`):                                             {},
		filter("labels.metric_source", "not_equals", `"word_count"`):                                               {score: 3, tone: 3, relevant: 3},
		filter("labels.metric_source", "in", `["llm_as_a_judge","word_count"]`):                                    {words: 6, relevant: 3},
		filter("labels.metric_source", "not_in", `["llm_as_a_judge","word_count"]`):                                {score: 3, tone: 3},
		`{"field":"labels.metric_source","operator":"not_exists"}`:                                                 {},
		filter("labels.metric_type", "equals", `"numeric"`):                                                        {words: 6, score: 3},
		filter("labels.metric_type", "not_equals", `"numeric"`):                                                    {tone: 3, relevant: 3},
		filter("labels.metric_type", "in", `["boolean","enum","x"]`):                                               {tone: 3, relevant: 3},
		filter("labels.metric_type", "equals", `"x"`):                                                              {},
		filter("labels.unit", "equals", `"words"`):                                                                 {words: 6},
		filter("labels.unit", "not_equals", `"words"`):                                                             {score: 3, tone: 3, relevant: 3},
		filter("labels.unit", "equals", `""`):                                                                      {score: 3, tone: 3, relevant: 3},
		filter("labels.unit", "equals", `"grams"`):                                                                 {},
		filter("labels.agent_name", "equals", `"' OR 1=1 --"`):                                                     {},
		filter("attributes.a' OR ''='", "equals", `"%"`):                                                           {},
		filter("enum_value", "equals", `"\u0000"`):                                                                 {},
		filter("metric_name", "in", `["tone-detection.tone","word-count.word_count","x.y"]`):                       {words: 6, tone: 3},
		filter("metric_name", "not_in", `["tone-detection.tone","word-count.word_count","x.y"]`):                   {score: 3, relevant: 3},
		filter("metric_name", "in", `["tone-detection.tone","answer relevancy"]`):                                  {tone: 3, relevant: 3},
		// Of several, all must hold.
		filter("metric_name", "not_equals", `"tone-detection.tone"`) + "," + filter("metric_name", "not_equals", `"tone-detection.score"`):             {words: 6, relevant: 3},
		filter("labels.metric_source", "in", `["llm_as_a_judge","word_count"]`) + "," + filter("metric_name", "not_equals", `"word-count.word_count"`): {relevant: 3},
		filter("labels.unit", "equals", `"words"`) + "," + filter("labels.user", "equals", `"u1"`):                                                     {words: 3},
	} {
		got := l.metrics(t, `,"filters":[`+filters+`]`)
		require.Equal(t, want, got.names(), filters)
		require.EqualValues(t, got.Metrics.TotalPoints, got.Metrics.TotalResults, filters)
	}
	for filters, want := range map[string]map[string]int{
		filter("bool_value", "equals", `true`) + "," + filter("numeric_value", "greater_than", `35`):                 {words: 2, relevant: 1},
		filter("labels.env", "equals", `"dev"`) + "," + filter("enum_value", "equals", `"joy"`):                      {tone: 2},
		filter("labels.env", "equals", `"prd"`) + "," + filter("enum_value", "equals", `"joy"`):                      all,
		filter("labels.env", "equals", `"x"`) + "," + filter("labels.org_id", "equals", `"x"`):                       {},
		filter("metric_name", "not_equals", `"word-count"`) + "," + filter("numeric_value", "equals", `50`):          {words: 1, score: 3, tone: 3, relevant: 3},
		filter("labels.metric_source", "not_equals", `"word_count"`) + "," + filter("numeric_value", "equals", `50`): {words: 1, score: 3, tone: 3, relevant: 3},
		filter("metric_name", "equals", `"tone-detection.tone"`):                                                     {tone: 3},
		filter("trace_id", "equals", `"x"`) + "," + filter("labels.metric_source", "equals", `"word_count"`):         {words: 6},
	} {
		for _, logic := range []string{"OR", "or"} {
			require.Equal(t, want, l.metrics(t, `,"logical_operator":"`+logic+`","filters":[`+filters+`]`).names(), filters)
		}
	}
	require.Equal(t, map[string]int{tone: 2}, l.metrics(t, `,"logical_operator":"AND","metric_name":"tone detection","metric_source":"tone_detection","filters":[`+filter("enum_value", "eq", `"joy"`)+`]`).names())
}
