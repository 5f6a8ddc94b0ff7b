// SPDX-License-Identifier: Apache-2.0

package clickhousetest

import (
	"github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	chproto "github.com/ClickHouse/clickhouse-go/v2/lib/proto"
)

// hello returns the answer to the client's first query. The client reads it as of
// its own revision; the answer says that the server's is 0, and the client reads what the engine
// writes from then on.
func hello(version string) ([]byte, error) {
	b := chproto.NewBlock()
	for _, c := range []struct {
		name string
		of   column.Type
	}{{"displayName()", "String"}, {"version()", "String"}, {"revision()", "UInt32"}, {"timezone()", "String"}} {
		if err := b.AddColumn(c.name, c.of); err != nil {
			return nil, err
		}
	}
	if err := b.Append("chDB", version, uint32(0), "UTC"); err != nil {
		return nil, err
	}
	var buffer proto.Buffer
	err := b.Encode(&buffer, clickhouse.ClientTCPProtocolVersion)
	return buffer.Buf, err
}
