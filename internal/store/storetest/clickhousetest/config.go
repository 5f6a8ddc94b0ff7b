// SPDX-License-Identifier: Apache-2.0

package clickhousetest

import (
	"os"
	"path/filepath"
)

// Cluster is a cluster that every server knows: itself, alone.
const Cluster = "alone"

// configuration of the engine. What is at its own port, which nothing listens at, it
// takes for itself.
const configuration = `<clickhouse>
	<tcp_port>9000</tcp_port>
	<remote_servers><` + Cluster + `><shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard></` + Cluster + `></remote_servers>
</clickhouse>`

// configured writes the configuration beside the data, and returns its file.
func configured(data string) (string, error) {
	file := filepath.Join(data, "config.xml")
	return file, os.WriteFile(file, []byte(configuration), 0o600)
}
