// SPDX-License-Identifier: Apache-2.0

// Package genai reads what instrumentations of generative AI send over OTLP.
// FromOTLP makes a stored Span of it, whichever convention it follows; View and
// TraceView read a span while it passes, without copying it; Part returns what
// evaluators read of a stored one.
//
// The conventions that are read, each with its source, are in
// fact.go.
package genai
