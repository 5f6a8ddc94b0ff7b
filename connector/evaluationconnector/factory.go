// SPDX-License-Identifier: Apache-2.0

// Package evaluationconnector sends verdicts to other backends. As log records:
// each finished evaluation that a span carries becomes events
// gen_ai.evaluation.result, as the OpenTelemetry conventions for generative AI
// name them. And as spans: judged ones go to another pipeline, which may
// sample, filter or redact them by their verdicts.
package evaluationconnector

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
)

// Type is how config.yaml names the component.
var Type = component.MustNewType("evaluation")

// NewFactory makes the factory of the connector.
func NewFactory() connector.Factory {
	return connector.NewFactory(
		Type,
		createDefaultConfig,
		connector.WithTracesToLogs(newTracesToLogs, component.StabilityLevelBeta),
		connector.WithTracesToTraces(newTracesToTraces, component.StabilityLevelBeta),
	)
}

func createDefaultConfig() component.Config {
	return &Config{Labels: []string{"tone-detection.tone", "agent-tool-selection-quality.tool_selection"}}
}

func newTracesToLogs(
	_ context.Context, set connector.Settings, cfg component.Config, next consumer.Logs,
) (connector.Traces, error) {
	return newRecorder(cfg.(*Config), set.BuildInfo.Version, next, time.Now), nil
}

func newTracesToTraces(
	_ context.Context, _ connector.Settings, cfg component.Config, next consumer.Traces,
) (connector.Traces, error) {
	return &forwarder{cfg: cfg.(*Config), next: next}, nil
}
