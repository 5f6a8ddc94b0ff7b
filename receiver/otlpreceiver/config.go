// SPDX-License-Identifier: Apache-2.0

package otlpreceiver

import (
	"errors"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configoptional"
	collector "go.opentelemetry.io/collector/receiver/otlpreceiver"

	"github.com/touchstone-otel/touchstone/internal/connbound"
)

// Config is what config.yaml says of the receiver.
type Config struct {
	// Protocols are the servers, as the collector's own receiver has them.
	Protocols collector.Protocols `mapstructure:"protocols"`

	// Connections bounds the connections of each of the two servers. Default:
	// 2048, of one address 1024.
	Connections connbound.Config `mapstructure:"connections"`

	_ struct{}
}

// readBuffer is what a connection of gRPC has from its beginning, in bytes. The
// collector's own receiver has 512 KiB, which is nothing only while grpc-go waits on
// the descriptor itself, and it cannot where connections are counted or encrypted.
const readBuffer = 32 << 10

func createDefaultConfig() component.Config {
	protocols := collector.NewFactory().CreateDefaultConfig().(*collector.Config).Protocols
	grpc := *protocols.GRPC.GetOrInsertDefault()
	grpc.ReadBufferSize = readBuffer
	protocols.GRPC = configoptional.Default(grpc)
	return &Config{Protocols: protocols, Connections: connbound.Config{Max: 2048, PerAddress: 1024}}
}

// Validate names what is wrong.
func (c *Config) Validate() error {
	if err := c.Connections.Check("connections"); err != nil {
		return err
	}
	if !c.Protocols.GRPC.HasValue() && !c.Protocols.HTTP.HasValue() {
		return errors.New(`"protocols" names neither "grpc" nor "http"`)
	}
	return nil
}
