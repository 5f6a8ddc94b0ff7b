// SPDX-License-Identifier: Apache-2.0

package tenant

import "context"

// environmentKey is the key of an environment in a context.
type environmentKey struct{}

// WithEnvironment returns a context of work that is done for an environment.
func WithEnvironment(ctx context.Context, env EnvironmentID) context.Context {
	return context.WithValue(ctx, environmentKey{}, env)
}

// EnvironmentOf returns the environment that work is done for, "" where none is known.
func EnvironmentOf(ctx context.Context) EnvironmentID {
	env, _ := ctx.Value(environmentKey{}).(EnvironmentID)
	return env
}
