// SPDX-License-Identifier: Apache-2.0

package configtest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"
)

type example struct {
	Store   component.ID                  `mapstructure:"store"`
	Secret  configopaque.String           `mapstructure:"secret"`
	Every   time.Duration                 `mapstructure:"every,omitempty"`
	Part    part                          `mapstructure:"part"`
	Other   configoptional.Optional[part] `mapstructure:"other"`
	private int
	_       struct{}
}

type part struct {
	Count int `mapstructure:"count"`
}

func TestSettingsAndTableAgree(t *testing.T) {
	t.Parallel()
	want := []Setting{{"store", "store/one"}, {"secret", ""}, {"every", "1m0s"}, {"part::count", "3"}, {"other::count", "4"}}
	require.Equal(t, want, Settings(&example{
		Store: component.MustNewIDWithName("store", "one"), Every: time.Minute, Part: part{3}, Other: configoptional.Default(part{4}), private: 1,
	}))
	require.Equal(t, want, Table("| setting | default | meaning |\n| --- | --- | --- |\n"+
		"| `store` | `store/one` | a |\n| `secret` | | b |\n| `every` | `1m0s` | `c` |\n| `part::count` | `3` | d |\n| `other::count` | `4` | e |\n"))
	require.Empty(t, Table("no table"))
}

func TestCheckAndLoad(t *testing.T) {
	t.Parallel()
	cfg := &example{Part: part{1}}
	Check(t, &example{Store: component.MustNewID("store"), Part: part{1}, Other: configoptional.Default(part{2})})
	require.NoError(t, Load(t, component.MustNewID("example"), cfg))
	require.Equal(t, component.MustNewIDWithName("store", "two"), cfg.Store)
}
