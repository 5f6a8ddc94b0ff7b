// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"fmt"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/conversation"
	"github.com/touchstone-otel/touchstone/internal/evaluators/judging"
	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
	"github.com/touchstone-otel/touchstone/internal/evaluators/sequences"
	"github.com/touchstone-otel/touchstone/internal/evaluators/wording"
)

type agentEfficiencyOutput struct {
	StepScore  float64 `json:"step_efficiency_score" doc:"1 for an agent that made no superfluous step, 0 to 1."`
	StepReason string  `json:"step_efficiency_reason" doc:"Which steps were superfluous."`
	TaskScore  float64 `json:"task_completion_score" doc:"How much of the task was done, 0 to 1."`
	TaskReason string  `json:"task_completion_reason" doc:"What was done and what was not."`
	eval.Judged
}

var agentEfficiencyPrompts = judging.PromptsOf("agent-efficiency")

var agentEfficiencySchema = judging.Object(
	"task_completion_reason", judging.Text, "task_completion_score", judging.Number,
	"step_efficiency_reason", judging.Text, "step_efficiency_score", judging.OneOf("number", "0", "0.25", "0.5", "0.75", "1"))

var _ = define(eval.Definition[trajectoryInput, eval.None, agentEfficiencyOutput]{
	Slug: "agent-efficiency",
	Doc: "Tells how much of a task an agent did, and whether it took superfluous steps. A judge scores both. Without one, steps are compared with each other. " +
		"A step made three times halves the step score, one made six times makes it 0. Replies that hardly differ from the one before count as repeated. Superfluous steps that differ are not found. " +
		"The task score is the share of messages that were answered, as in agent-goal-completeness.",
	Languages: english,
	Language:  trajectoryInput.language,
	Backend:   eval.Embedded,
	Version:   agentEfficiencyPrompts.Version,
	Run: func(ctx context.Context, in trajectoryInput, _ eval.None) (agentEfficiencyOutput, error) {
		turns, err := in.turns()
		if err != nil {
			return agentEfficiencyOutput{}, err
		}
		var out agentEfficiencyOutput
		out.StepScore, out.StepReason = loops(ctx, turns)
		goals, open := wordGoals(turns)
		task := goalOutcome("messages were answered", goals, quotedEach(ctx, open), 0)
		out.TaskScore, out.TaskReason = task.Score, task.Reason
		out.Judged = reasoned(out.StepReason + " " + out.TaskReason)
		out.Uncertain = goals > 0 && answeredAtAll(turns)
		return out, nil
	},
	ByJudge: func(ctx context.Context, m eval.Models, in trajectoryInput, _ eval.None) (agentEfficiencyOutput, error) {
		turns, err := in.turns()
		if err != nil {
			return agentEfficiencyOutput{}, err
		}
		work, err := conversation.DataBlock("trajectory", turns)
		if err != nil {
			return agentEfficiencyOutput{}, err
		}
		var said struct {
			TaskReason string  `json:"task_completion_reason"`
			TaskScore  float64 `json:"task_completion_score"`
			StepReason string  `json:"step_efficiency_reason"`
			StepScore  float64 `json:"step_efficiency_score"`
		}
		if err := agentEfficiencyPrompts.Ask(ctx, m, "scores", agentEfficiencySchema, &said, work); err != nil {
			return agentEfficiencyOutput{}, err
		}
		return agentEfficiencyOutput{
			StepScore: unit(said.StepScore), StepReason: said.StepReason, TaskScore: unit(said.TaskScore), TaskReason: said.TaskReason,
			Judged: reasoned(reasonOf(ctx, said.StepReason+" "+said.TaskReason)),
		}, nil
	},
	Examples: []eval.Example{
		{
			About: "straight to the point", Input: `{"trajectory_prompts": ["Find the cheapest flight to Oslo"], "trajectory_completions": ["The cheapest flight to Oslo leaves at 7."]}`,
			Want: `{"step_efficiency_score": 1, "step_efficiency_reason": "No step was repeated.", "task_completion_score": 1, "task_completion_reason": "1 of 1 messages were answered.", "uncertain": true}`,
		},
		{
			About: "in a loop", Input: `{"trajectory_prompts": [], "trajectory_completions": ["search Oslo", "search Oslo", "search Oslo", "The cheapest one leaves at 7."]}`,
			Want: `{"step_efficiency_score": 0.5, "step_efficiency_reason": "A step was made 3 times: search Oslo.", "task_completion_score": 1, "task_completion_reason": "There is no goal."}`,
		},
		{
			About: "a detour", Input: `{"trajectory_prompts": ["Find the cheapest flight to Oslo"], "trajectory_completions": ["I looked up hotels. The cheapest flight leaves at 7."]}`,
			Judge: []string{`{"task_completion_reason": "A flight was found.", "task_completion_score": 1, "step_efficiency_reason": "Nobody asked for hotels.", "step_efficiency_score": 0.75}`},
			Want:  `{"step_efficiency_score": 0.75, "step_efficiency_reason": "Nobody asked for hotels.", "task_completion_score": 1, "task_completion_reason": "A flight was found."}`,
		},
	},
})

// From how many times on a step counts as a loop, and as a hopeless one.
const (
	loopFrom     = 3
	hopelessFrom = 6
	// sameReply is the share of pairs of words that two replies in a row have
	// in common from which the second says nothing new.
	sameReply = 0.85
)

// loops scores how often an agent repeated itself.
func loops(ctx context.Context, turns []conversation.Turn) (score float64, reason string) {
	made := map[[2]string]int{}
	most, worst := 0, ""
	running, longest, stuck := 1, 1, ""
	before := ""
	for _, t := range turns {
		if !t.HasAssistant || lexical.Blank(t.Assistant) {
			continue
		}
		step := [2]string{wording.Phrase(t.User), wording.Phrase(t.Assistant)}
		made[step]++
		if made[step] > most {
			most, worst = made[step], step[1]
		}
		if running++; !echoes(before, t.Assistant) {
			running = 1
		}
		before = t.Assistant
		if running > longest {
			longest, stuck = running, step[1]
		}
	}
	switch {
	case most >= hopelessFrom:
		return 0, fmt.Sprintf("A step was made %d times: %s.", most, quoted(ctx, worst))
	case longest >= hopelessFrom:
		return 0, fmt.Sprintf("%d replies in a row hardly differ: %s.", longest, quoted(ctx, stuck))
	case most >= loopFrom:
		return 0.5, fmt.Sprintf("A step was made %d times: %s.", most, quoted(ctx, worst))
	case longest >= loopFrom:
		return 0.5, fmt.Sprintf("%d replies in a row hardly differ: %s.", longest, quoted(ctx, stuck))
	default:
		return 1, "No step was repeated."
	}
}

// echoes reports whether a reply hardly differs from the one before.
func echoes(before, reply string) bool {
	return !lexical.Blank(before) && sequences.Jaccard(wordPairs(before), wordPairs(reply)) >= sameReply
}

// wordPairs counts the pairs of neighbouring words of a text, its beginning and
// its end counted as words.
func wordPairs(text string) map[string]int {
	pairs := map[string]int{}
	before := ""
	for _, stem := range lexical.Stems(text) {
		pairs[before+" "+stem]++
		before = stem
	}
	pairs[before+" "]++
	return pairs
}
