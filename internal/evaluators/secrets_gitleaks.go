// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/viper"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
)

// leakRules are the rules that come with gitleaks.
type leakRules struct {
	detector *detect.Detector
}

// newLeakRules reads the rules. The library's own constructor would leave them
// in a process-wide configuration.
func newLeakRules() (*leakRules, error) {
	reader := viper.New()
	reader.SetConfigType("toml")
	if err := reader.ReadConfig(strings.NewReader(config.DefaultConfig)); err != nil {
		return nil, fmt.Errorf("read the rules of gitleaks: %w", err)
	}
	var written config.ViperConfig
	if err := reader.Unmarshal(&written); err != nil {
		return nil, fmt.Errorf("read the rules of gitleaks: %w", err)
	}
	rules, err := written.Translate()
	if err != nil {
		return nil, fmt.Errorf("read the rules of gitleaks: %w", err)
	}
	return &leakRules{detect.NewDetector(rules)}, nil
}

// leaked reports whether a rule finds something.
func (r *leakRules) leaked(ctx context.Context, text string) (bool, error) {
	findings := r.detector.DetectContext(ctx, detect.Fragment{Raw: text}) //nolint:staticcheck // DetectContext takes nothing else
	if len(findings) > 0 {
		return true, nil
	}
	return false, ctx.Err()
}
