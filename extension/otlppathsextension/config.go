// SPDX-License-Identifier: Apache-2.0

package otlppathsextension

// Config is what config.yaml says of the extension: nothing.
type Config struct {
	_ struct{}
}
