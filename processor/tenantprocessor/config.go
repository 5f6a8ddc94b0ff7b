// SPDX-License-Identifier: Apache-2.0

package tenantprocessor

// Config is what config.yaml says of the processor: nothing. There is no way
// to let data pass without a tenant, and no way to choose one.
type Config struct {
	_ struct{}
}
