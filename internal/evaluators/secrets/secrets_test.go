// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// made gives a string of a charset that is nobody's secret: it is drawn here,
// so that the source of this test holds no token.
func made(seed uint64, n int, charset string) string {
	r := rand.New(rand.NewPCG(seed, 7))
	b := make([]byte, n)
	for i := range b {
		b[i] = charset[r.IntN(len(charset))]
	}
	return string(b)
}

const (
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	digits = "0123456789"
	alnum  = upper + lower + digits
	hex    = "0123456789abcdef"
)

func hasSecret(t *testing.T, text string) bool {
	t.Helper()
	found, err := Found(t.Context(), text)
	require.NoError(t, err)
	return found
}

func TestWhatIsFound(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"aws":           "key " + "AKIA" + made(1, 16, upper+"234567"),
		"aws sample":    "AKIA" + "IOSFODNN7EXAMPLE",
		"github":        "token: ghp_" + made(2, 36, alnum),
		"gitlab":        "glpat-" + made(3, 20, alnum),
		"slack":         "xoxb-" + made(4, 12, digits) + "-" + made(5, 12, digits) + "-" + made(6, 24, alnum),
		"stripe":        "sk_live_" + made(7, 24, alnum),
		"sendgrid":      "SG." + made(8, 22, alnum) + "." + made(9, 43, alnum),
		"npm":           "npm_" + made(11, 36, lower+digits),
		"pypi":          "pypi-AgEIcHlwaS5vcmc" + made(12, 70, alnum),
		"square":        "sq0atp-" + made(13, 22, alnum),
		"telegram":      made(14, 9, "123456789") + ":AA" + made(15, 33, alnum),
		"discord":       "M" + made(16, 23, alnum) + "." + made(17, 6, alnum) + "." + made(18, 27, alnum),
		"mailchimp":     made(19, 32, hex) + "-us12",
		"artifactory":   "AKC" + made(20, 69, alnum),
		"azure":         "AccountKey=" + made(21, 86, alnum+"+/") + "==",
		"jwt":           "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ." + made(22, 43, alnum),
		"private key":   "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIE",
		"basic auth":    "https://ada:l0velace@example.com/path",
		"database":      "mongodb+srv://root:p%40ss-1@cluster.example.net",
		"password":      `password = "hunter2hunter2"`,
		"json":          `{"db_password": "s3cr3t-w0rd"}`,
		"call":          `login("ada", pwd='abcd-12-efg')`,
		"arrow":         `'api_key' => 'z9y8x7w6v5'`,
		"camel":         "secretKey := `k3k2-k1k0`",
		"spanish":       `contraseña: "palabra9"`,
		"entropy":       `x = "` + made(23, 40, alnum+"+/") + `"`,
		"hex":           `x = '` + made(24, 32, hex) + `'`,
		"in the middle": "line one\nAPIKEY=\"q1w2e3r4t5\"\nline three",
	} {
		require.True(t, hasSecret(t, text), "%s: %s", name, text)
	}
}

func TestWhatIsNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "\x00\xff", "Never share your password with anybody.", "The secret: be kind.", "Is the password right? \"Yes\", she said.",
		`password = "${DB_PASSWORD}"`, `password = "<password>"`, `password: "{{ password }}"`, `"password": "string"`, `password = "your_password"`,
		`password = "********"`, `api_key = "YOUR_API_KEY"`, `secret = "abcdefgh"`, `pwd = "00000000"`, `password = get_secret("db")`, `password = "get_secret()"`,
		`secretary = "Jane-Doe-1"`, `password = ""`, `password = "a b c d e f"`, "https://example.com:8080/@me", "https://user:${PASS}@example.com", "mailto:ada@example.com",
		`id = "` + made(31, 40, alnum) + `"`, `"request_id": "` + made(32, 32, hex) + `"`, `sha256: '` + made(33, 64, hex) + `'`,
		`"123e4567-e89b-12d3-a456-426614174000"`, `"aaaaaaaaaaaaaaaaaaaaaaaa"`, `"abcdefghijklmnopqrstuvwxyz"`, `"this-is-a-long-slug-of-words-and-nothing-else"`,
		`password = "hunter2hunter2" # pragma: allowlist secret`, "'1234567890123456'", strings.Repeat(`"`, 5000), strings.Repeat("://a:", 2000),
	} {
		require.False(t, hasSecret(t, text), text)
	}
}

func FuzzPlain(f *testing.F) {
	f.Add(`password = "x1y2z3a4", https://a:b@c, 'AAAA0000BBBB1111CCCC'`)
	f.Fuzz(func(_ *testing.T, text string) {
		hasPlainSecret(text)
	})
}
