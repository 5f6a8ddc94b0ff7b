// SPDX-License-Identifier: Apache-2.0

package clickhousetest

import (
	"os"
	"path/filepath"
	"strings"
)

// Cluster is a cluster that every server knows: itself, alone.
const Cluster = "alone"

// configuration of the engine. What is at its own port, which nothing listens at, it
// takes for itself.
const configuration = `<clickhouse>
	<tcp_port>9000</tcp_port>
	<remote_servers><` + Cluster + `><shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard></` + Cluster + `></remote_servers>
	<users_config>` + usersAt + `</users_config>
</clickhouse>`

// usersAt stands where the file of the users is named.
const usersAt = "USERS"

// users are those of a server, which takes everybody for the one that it has: what that
// user may do stands between the halves, if it is not everything.
// https://clickhouse.com/docs/operations/settings/settings-users
var users = [2]string{
	`<clickhouse>
	<profiles><default/></profiles>
	<quotas><default/></quotas>
	<users><default>
		<password></password>
		<networks><ip>::/0</ip></networks>
		<profile>default</profile>
		<quota>default</quota>
`, `	</default></users>
</clickhouse>`,
}

// configured writes the configuration into the directory of the data, and returns its file.
func configured(data string) (string, error) {
	var grants strings.Builder
	if list := os.Getenv(grantsEnv); list != "" {
		grants.WriteString("<grants>")
		for grant := range strings.SplitSeq(list, "\n") {
			grants.WriteString("<query>" + grant + "</query>")
		}
		grants.WriteString("</grants>")
	}
	named := filepath.Join(data, "users.xml")
	if err := os.WriteFile(named, []byte(users[0]+grants.String()+users[1]), 0o600); err != nil {
		return "", err
	}
	file := filepath.Join(data, "config.xml")
	return file, os.WriteFile(file, []byte(strings.Replace(configuration, usersAt, named, 1)), 0o600)
}
