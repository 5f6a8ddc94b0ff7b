// SPDX-License-Identifier: Apache-2.0

// Package expr refuses expressions: it is linked in the place of the module whose path
// it has.
package expr

import (
	"errors"

	"github.com/expr-lang/expr/vm"
)

// Compile returns an error that says what to use instead.
func Compile(string) (*vm.Program, error) {
	return nil, errors.New(`"match_type: expr" is not in the slim build: use the match type "strict" or "regexp", or conditions under "metric_conditions"`)
}
