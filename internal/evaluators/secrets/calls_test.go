// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Passwords stand as the second word of a call, in statements, and where a program or a
// file has a place for them.
func TestPasswordsInCallsAndStatements(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`requests.get(url, auth=("ada", "t1nwhistle"))`, `HTTPBasicAuth('ada', 't1nwhistle')`, `new System.Net.NetworkCredential("ada", "t1nwhistle", "CORP")`, `new UsernamePasswordCredentials("ada", "t1nwhistle")`,
		"new DirectoryEntry(\"LDAP://dc1\",\n    \"ada@corp.test\",\n    \"t1nwhistle\")", `req.SetBasicAuth("ada", "t1nwhistle")`, `smtp.login("ada@corp.test", "t1nwhistle")`,
		`CREATE USER ada IDENTIFIED BY 'tinwhistle';`, `ALTER USER ada IDENTIFIED WITH caching_sha2_password BY 'tinwhistle';`, `ALTER ROLE app WITH LOGIN PASSWORD 'tinwhistle';`, `CREATE LOGIN ada WITH PASSWORD = N'tinwhistle';`,
		`EXEC sp_addlogin 'ada', 'tinwhistle'`, `ConvertTo-SecureString "tinwhistle" -AsPlainText -Force`, `ConvertTo-SecureString -String 'tinwhistle' -AsPlainText`, `network={ ssid="Barn" psk="t1nwhistle" }`,
		`rabbitmqctl add_user ada tinwhistle`, `htpasswd -b -c .htpasswd ada tinwhistle`, "db1.test:5432:shop:ada:t1nwhistle", "*:*:*:ada:t1nwhistle",
		"variable \"db_password\" {\n  type    = string\n  default = \"tinwhistle7\"\n}", `<entry key="hook.token">` + made(201, 32, alnum) + `</entry>`, `<add name="hookToken" value="` + made(202, 32, alnum) + `" />`,
		"The secret of the hook is " + made(203, 40, hex) + ".", "our token for staging is now " + made(204, 32, alnum), `app.secret_key = b'` + made(205, 24, alnum) + `'`,
	} {
		require.True(t, hasSecret(t, text), text)
	}
	for _, text := range []string{
		`requests.get(url, auth=(user, password))`, `HTTPBasicAuth("username", "password")`, `login("user", "password")`, `credentials("region", "eu-central")`, `CREATE USER ada IDENTIFIED BY '${PW}';`,
		`ALTER ROLE app WITH PASSWORD '<password>';`, `ConvertTo-SecureString $password -AsPlainText -Force`, `psk = "your-passphrase"`, `rabbitmqctl list_users`, "10:30:45:00:99", "variable \"db_password\" {\n  type = string\n}",
		`<entry key="page.token">next</entry>`, "The secret of good bread is patience.", "The key to the garden is under the third flowerpot-of-the-terrace", `title = b'` + made(206, 8, lower) + `'`,
	} {
		require.False(t, hasSecret(t, text), text)
	}
}

// Keys of tables and caches, and public ones, are recognized by their names.
func TestKeysThatAreNoSecrets(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"primary key", "foreign_key", "partition-key", "public_key", "cache key", "sort key", "routing_key", "monkey"} {
		require.False(t, hasSecret(t, name+" "+uuid4(210)), name)
	}
	require.True(t, hasSecret(t, "service key "+uuid4(212)))
}

func TestFurtherKeysOfServices(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{
		"asana": "1/1" + made(220, 15, digits) + ":" + made(221, 32, hex), "zoho": "1000." + made(222, 32, hex) + "." + made(223, 32, hex), "xai": "xai-" + made(224, 80, alnum), "ubidots": "BBFF-" + made(225, 32, alnum),
		"teamwork": "tkn.v1_" + made(226, 80, alnum) + "=", "easypost": "EZAK" + made(227, 54, hex), "google": "1//0" + made(228, 100, base64url), "square": "EAAAE" + made(229, 60, alnum),
		"salesforce": "00D" + made(230, 12, alnum) + "!" + made(231, 90, alnum), "dropbox": "sl.u." + made(232, 140, base64url), "test index of pypi": "pypi-AgENdGVzdC5weXBpLm9yZw" + made(233, 80, alnum),
		"slack": "xoxb-" + made(234, 8, digits) + "-" + made(235, 18, hex), "azure": "https://shop.blob.core.windows.net/a?se=2030&sig=" + made(236, 43, alnum) + "%3D",
	} {
		require.True(t, hasSecret(t, "we use "+key+" for it"), "%s: %s", name, key)
	}
	for _, text := range []string{"1/1 of the tests", "version 1000.1.2", "the sig=none of it", "xai-lab-of-the-university"} {
		require.False(t, hasSecret(t, text), text)
	}
}
