// SPDX-License-Identifier: Apache-2.0

package evaluationconnector

import (
	"errors"
	"fmt"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// Config is what config.yaml says of the connector.
type Config struct {
	// IncludeExplanations says whether records tell an evaluator's reasons,
	// which may quote what users and models wrote. Default: false.
	IncludeExplanations bool `mapstructure:"include_explanations"`

	// EnvironmentAttribute is the resource attribute that holds the id of the
	// environment. It overwrites what a client sent under this name. Default:
	// empty, records have no such attribute.
	EnvironmentAttribute string `mapstructure:"environment_attribute"`

	// Labels are the text outputs, as <slug>.<output>, that have few possible
	// values and therefore become labels. Outputs of type enum of custom
	// evaluators are labels too. Default: those of the evaluators that ship.
	Labels []string `mapstructure:"labels"`

	_ struct{}
}

// Validate names everything that is wrong.
func (c *Config) Validate() error {
	var errs []error
	if tenant.Reserved(c.EnvironmentAttribute) {
		errs = append(errs, errors.New(`"environment_attribute" must not begin with "touchstone." or "evaluation.": such names do not leave the process`))
	}
	if c.EnvironmentAttribute != strings.TrimSpace(c.EnvironmentAttribute) {
		errs = append(errs, errors.New(`"environment_attribute" must not begin or end with a space`))
	}
	for i, label := range c.Labels {
		slug, output, _ := strings.Cut(label, ".")
		if slug == "" || output == "" || strings.Contains(output, ".") {
			errs = append(errs, fmt.Errorf(`"labels[%d]" must be <slug>.<output>, as in tone-detection.tone`, i))
		}
	}
	return errors.Join(errs...)
}
