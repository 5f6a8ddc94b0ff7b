// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"context"
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// made returns a string of a charset that is no real secret: it is drawn here,
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

func uuid4(seed uint64) string {
	h := made(seed, 32, hex)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// foundIn reports whether something is found in a text. Then an error does not matter.
func foundIn(ctx context.Context, text string) (found bool, err error) {
	err = Find(ctx, text, func(int, int) bool {
		found = true
		return false
	})
	return found, err
}

func hasSecret(t *testing.T, text string) bool {
	t.Helper()
	found, err := foundIn(t.Context(), text)
	require.NoError(t, err)
	return found
}

func TestWhatIsFound(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"aws":             "key " + "AKIA" + made(1, 16, upper+"234567"),
		"aws sample":      "AKIA" + "IOSFODNN7EXAMPLE",
		"github":          "token: ghp_" + made(2, 36, alnum),
		"gitlab":          "glpat-" + made(3, 20, alnum),
		"slack":           "xoxb-" + made(4, 12, digits) + "-" + made(5, 12, digits) + "-" + made(6, 24, alnum),
		"stripe":          "sk_live_" + made(7, 24, alnum),
		"sendgrid":        "SG." + made(8, 22, alnum) + "." + made(9, 43, alnum),
		"npm":             "npm_" + made(11, 36, lower+digits),
		"pypi":            "pypi-AgEIcHlwaS5vcmc" + made(12, 70, alnum),
		"square":          "sq0atp-" + made(13, 22, alnum),
		"telegram":        made(14, 9, "123456789") + ":AA" + made(15, 33, alnum),
		"discord":         "M" + made(16, 23, alnum) + "." + made(17, 6, alnum) + "." + made(18, 27, alnum),
		"mailchimp":       made(19, 32, hex) + "-us12",
		"artifactory":     "AKC" + made(20, 69, alnum),
		"azure":           "AccountKey=" + made(21, 86, alnum+"+/") + "==",
		"jwt":             "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ." + made(22, 43, alnum),
		"private key":     "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIE",
		"basic auth":      "https://ada:l0velace@example.com/path",
		"database":        "mongodb+srv://root:p%40ss-1@cluster.example.net",
		"password":        `password = "hunter2hunter2"`,
		"json":            `{"db_password": "s3cr3t-w0rd"}`,
		"call":            `login("ada", pwd='abcd-12-efg')`,
		"arrow":           `'api_key' => 'z9y8x7w6v5'`,
		"camel":           "secretKey := `k3k2-k1k0`",
		"spanish":         `contraseña: "palabra9"`,
		"entropy":         `x = "` + made(23, 40, alnum+"+/") + `"`,
		"hex":             `x = '` + made(24, 32, hex) + `'`,
		"groq":            "GROQ_API_KEY=gsk_" + made(41, 52, alnum),
		"xai":             "xai-" + made(42, 80, alnum),
		"replicate":       "r8_" + made(43, 37, alnum),
		"tavily":          "tvly-dev-" + made(44, 32, alnum),
		"hugging face":    "token hf_" + made(45, 34, alnum),
		"openai":          "sk-proj-" + made(46, 60, alnum+"_-") + "T3BlbkFJ" + made(47, 60, alnum+"_-"),
		"anthropic":       "sk-ant-api03-" + made(48, 93, alnum+"_-") + "AA",
		"llamacloud":      "llx-" + made(110, 48, alnum),
		"mem0":            "m0-" + made(111, 40, alnum),
		"cartesia":        "sk_car_" + made(112, 22, alnum),
		"vertex":          "AQ.Ab8RN6" + made(113, 45, alnum+"_-"),
		"airtable":        "pat" + made(114, 14, alnum) + "." + made(115, 64, hex),
		"flutterwave":     "FLWSECK-" + made(116, 32, hex) + "-X",
		"zuplo":           "zpka_" + made(117, 32, hex) + "_" + made(118, 8, hex),
		"dbt":             "dbtc_" + made(119, 36, alnum),
		"retool":          "retool_01" + made(120, 24, lower+digits),
		"perplexity":      "pplx-" + made(49, 48, alnum),
		"fireworks":       "fw_" + made(50, 24, alnum),
		"langsmith":       "lsv2_pt_" + made(51, 32, hex) + "_" + made(52, 10, hex),
		"langfuse":        "sk-lf-" + uuid4(53),
		"mistral":         "MISTRAL_API_KEY=" + made(58, 32, alnum),
		"cohere":          `cohere_key: "` + made(59, 40, alnum) + `"`,
		"together":        "together api key " + made(60, 64, hex),
		"openrouter":      "sk-or-v1-" + made(61, 64, hex),
		"nvidia":          "nvapi-" + made(62, 64, alnum+"_-"),
		"header":          "Authorization: Bearer " + made(63, 24, alnum),
		"basic header":    `-H "authorization: Basic YWRhOmwwdmVsYWNlIQ=="`,
		"netrc":           "machine git.internal.test login ada password l0velace",
		"pem in base64":   "tls.key: " + base64.StdEncoding.EncodeToString([]byte("-----BEGIN EC PRIVATE "+"KEY-----\n"+made(64, 64, alnum))),
		"connection":      "Server=db1;Database=main;User Id=app;Password=tr0mbone;",
		"command line":    "mysqldump -u app --password=tr0mbone main",
		"properties":      "username=app\npassword=trombone\n",
		"environment":     "MAILER_PASSWORD=trombone!",
		"escaped json":    `{"body": "{\"api_key\": \"z9y8x7w6v5\"}"}`,
		"unicode json":    `{"db_pa\u0073sword": "s3cr3t\u002dw0rd"}`,
		"compared":        `if ("qu33n-of-hearts" === password) {`,
		"not equal":       `if (password !== "qu33n-of-hearts") {`,
		"identical":       `return secret === "qu33n-of-hearts"`,
		"array":           `char db_password[] = "qu33n-of-hearts";`,
		"assigned":        `secret.assign("qu33n-of-hearts", 15);`,
		"directive":       `  secret "qu33n-of-hearts";`,
		"braces inside":   "db_pass: q${u]een-of}}-{{h]earts-7",
		"commas inside":   "root_password = q7,ueen,of-hearts",
		"api key":         "api_key: q7-u33n,of!hearts",
		"discord bot":     "M" + made(70, 22, alnum) + "." + made(75, 6, alnum) + "." + made(76, 27, alnum),
		"password hash":   "$2b$12$" + made(65, 53, alnum),
		"teams":           "https://x.webhook.office.com/webhookb2/" + uuid4(66) + "@" + uuid4(67) + "/IncomingWebhook/" + made(68, 32, hex) + "/" + uuid4(69),
		"ibm cloud":       "IBM_CLOUD_API_KEY=" + made(81, 44, alnum+"_-"),
		"ibm iam":         `iam_key: "` + made(82, 44, alnum+"_-") + `"`,
		"ibm storage":     `"secret_access_key": "` + made(83, 48, hex) + `"`,
		"softlayer":       "softlayer_api_key = " + made(84, 64, lower+digits),
		"softlayer url":   "https://api.softlayer.com/soap/v3.1/" + made(85, 64, lower+digits),
		"cloudant":        "cloudant_password=" + made(86, 64, hex),
		"cloudant old":    "cloudant key " + made(87, 24, lower),
		"slack workspace": "xoxo-" + made(91, 6, digits) + "-" + made(92, 6, digits) + "-" + made(93, 20, lower+digits),
		"telegram url":    "https://api.telegram.org/bot" + made(94, 9, "123456789") + ":AA" + made(95, 33, alnum) + "/getMe",
		"telegram alone":  made(96, 10, "123456789") + ":" + made(97, 35, alnum) + "\n",
		"twilio letters":  "SK" + made(98, 32, lower+digits),
		"cloudant short":  "cl_pw = '" + made(99, 64, hex) + "'",
		"ssh2":            "---- BEGIN SSH2 ENCRYPTED PRIVATE " + "KEY ----\n" + made(100, 60, alnum),
		"pem cut":         "BEGIN PGP PRIVATE " + "KEY BLOCK\n",
		"putty":           "PuTTY-User-Key-" + "File-2: ssh-rsa\nEncryption: none",
		"jwt white space": "ewogICJhbGciOiAiSFMyNTYiCn0." + "e30." + made(101, 43, alnum),
		"declared":        `let db_password: &'static str = "qu33n-of-hearts";`,
		"declared python": `password: Optional[str] = "qu33n-of-hearts"`,
		"elements":        `char password[16] = "qu33n-of-hearts";`,
		"in brackets":     `password = ("qu33n-of-hearts")`,
		"in a list":       `pwd = ["qu33n-of-hearts"]`,
		"compared ñ":      `if ("qu33n-of-hearts" == contraseña) {`,
		"quoted key":      `'pwd': q${u]een-of}}-{{h]earts-7`,
		"zero width":      "glpat-\u200b" + made(3, 10, alnum) + "\u200b" + made(4, 10, alnum),
		"full width":      "ｇｌｐａｔ－" + made(3, 20, alnum),
		"look-alike":      "glраt-" + made(3, 20, alnum),
		"entities":        "password = &quot;hunter2hunter2&quot;",
		"url":             "q=glpat%2D" + made(3, 20, alnum),
		"base64":          base64.StdEncoding.EncodeToString([]byte("export TOKEN=glpat-" + made(3, 20, alnum))),
		"subscript":       `$cfg['db']['password'] = 'C0baltReef';`,
		"symbol":          `options[:password] = "C0baltReef"`,
		"constant":        `define('SMTP_PASSWORD', 'C0baltReef');`,
		"setting":         `set :deploy_password, "C0baltReef"`,
		"compared in C":   `if (strcmp(req->password, "C0baltReef") == 0)`,
		"property of C#":  `public string Password { get; private set; } = "C0baltReef";`,
		"macro":           `#define WIFI_PASS "C0baltReef"`,
		"option":          `deploy --db-secret "C0baltReef" now`,
		"short name":      `if (pw == "C0baltReef") {`,
		"arrow of R":      `password <- "C0baltReef"`,
		"property list":   "<key>apiPassword</key>\n\t<string>C0baltReef</string>",
		"container":       "- name: DB_PASSWORD\n  value: C0baltReef",
		"block of YAML":   "db_password: |-\n  C0baltReef",
		"redis":           "requirepass C0baltReef",
		"router":          "enable secret C0baltReef",
		"name with a dot": "db.password.default = C0baltReef",
		"value with dots": "password: C0balt.Reef#7",
		"set password":    "SET PASSWORD FOR 'ada'@'%' = 'C0baltReef';",
		"telegram bot":    "bot" + made(103, 9, "123456789") + ":AA" + made(104, 33, alnum),
		"telegram other":  "https://api.telegram.org/bot" + made(105, 9, "123456789") + ":" + made(106, 35, alnum) + "/getMe",
		"in the middle":   "line one\nAPIKEY=\"q1w2e3r4t5\"\nline three",
	} {
		require.True(t, hasSecret(t, text), "%s: %s", name, text)
	}
}

func TestWhatIsNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "\x00\xff", "Never share your password with anybody.", "The secret: be kind.", "Is the password right? \"Yes\", she said.",
		`password = "${DB_PASSWORD}"`, "db_password: {{ .Values.password_1 }}", "db_password: x{{ .Values.password_1 }}", "db_password=${PASS1:-none}", "db_password=a${PASS1 }", `the secret "qu33n-of-hearts" is hers`,
		`password = "<password>"`, `password: "{{ password }}"`, `"password": "string"`, `password = "your_password"`,
		`password = "********"`, `api_key = "YOUR_API_KEY"`, `secret = "abcdefgh"`, `pwd = "00000000"`, `password = get_secret("db")`, `password = "get_secret()"`,
		`secretary = "Jane-Doe-1"`, `password = ""`, `password = "a b c d e f"`, "https://example.com:8080/@me", "https://user:${PASS}@example.com", "mailto:ada@example.com",
		"https://user:thepassword@example.com", `the lines "BEGIN RSA PRIVATE KEY" and END`, `rev = "` + made(102, 40, hex) + `"`, `"` + upper + lower + digits + `"`, `"` + digits + upper + lower + `"`,
		`password: env("qu33n-of-hearts")`, `items["qu33n-of-hearts"]`, `labels: List[str] = ["qu33n-of-hearts"]`, "SK" + strings.Repeat("x", 32), "xoxb-0000-your-token",
		`id = "` + made(31, 40, alnum) + `"`, `"request_id": "` + made(32, 32, hex) + `"`, `sha256: '` + made(33, 64, hex) + `'`,
		`"123e4567-e89b-12d3-a456-426614174000"`, `"aaaaaaaaaaaaaaaaaaaaaaaa"`, `"abcdefghijklmnopqrstuvwxyz"`, `"this-is-a-long-slug-of-words-and-nothing-else"`,
		`"integrity": "sha512-` + made(71, 86, alnum+"+/") + `=="`, "  integrity sha512-" + made(72, 86, alnum+"+/") + "==", "golang.org/x/text v0.3.0 h1:" + made(73, 43, alnum) + "=",
		"sha256:" + made(74, 64, hex), "Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "machine example.com login you password yourpassword", "the key to the house is under the mat", "token_count = tokenizer.encode(text)",
		"password = getpass.getpass()", `password = os.environ["DB_PASSWORD"]`, "secret_key = settings.SECRET_KEY", "access_token = response.json()[0]", "Your password must have 8 characters.", "my password is long", "mysql --password=$PASS", "PASSWORD=changeme_now",
		"Server=db1;Uid={user};Password={password};", "key_for_the_third_of_all_tables_2024", "private_key_path = /etc/ssl/private/server.key",
		`errors['password'] = 'invalid2'`, `$labels["password"] = "Passw0rt";`, `cfg['password'] = $_POST['password'];`, `secret = load_secret("db/password")`, `api_key = fetch_api_key("shop-2")`, `define('PASSWORD_FIELD', 'password');`,
		`strcmp(password, stored)`, `strcmp(key, "C0baltReef")`, `f(["name", "password", "address2"])`, `public string Password { get; set; } = string.Empty;`, `#define PASSWORD_MAX "sha256"`, `set password "$env(PASSWORD)"`,
		`--password-file "C0baltReef"`, "- name: DB_PASSWORD_KEY\n  value: password", "- name: API_KEY\n  value: $(API_KEY2)", "requirepass yourpassword1", "set password later", "db.password.path = C0baltReef", "password: config.db.value2",
		"<key>password</key><string>Password</string>", "bypass == \"C0baltReef\"", "compass \"C0baltReef\"",
		`password = "hunter2hunter2" # pragma: allowlist secret`, "'1234567890123456'", strings.Repeat(`"`, 5000), strings.Repeat("://a:", 2000),
	} {
		require.False(t, hasSecret(t, text), text)
	}
}

func FuzzPlain(f *testing.F) {
	f.Add(`password = "x1y2z3a4", https://a:b@c, 'AAAA0000BBBB1111CCCC'`)
	f.Fuzz(func(t *testing.T, text string) {
		plainSecrets(text, func(at place) bool {
			require.True(t, at.start >= 0 && at.start < at.end && at.end <= len(text))
			return true
		})
	})
}

// Each secret of a text has its place in the text as it was given.
func TestPlacesOfSecrets(t *testing.T) {
	t.Parallel()
	const key, grok = "sk-proj-Zk39vTq8LmX2wRb7NcY5dHs1JfGp4AeUo6iKtVxBzMnQrSwE", "gsk_a8Zk39vTq8LmX2wRb7NcY5dHs1JfGp4AeUo6iKtVxBzMnQr"
	for text, want := range map[string][]string{
		`db_password = "tr0ub4dor&3" and pwd: "x1y2z3a4"`:                   {"tr0ub4dor&3", "x1y2z3a4"},
		"postgres://app:Sw0rdf1sh@db.internal/main then http://a:b4d@c":     {"Sw0rdf1sh", "b4d"},
		"first " + key + "\nthen " + grok + " and " + key:                   {key, grok, key},
		"password = &quot;tr0ub4dor&amp;3&quot;":                            {"tr0ub4dor&amp;3"},
		"nothing of that kind":                                              nil,
		"pwd = \"x1y2z3a4\" # pragma: allowlist secret\npwd = \"a1b2c3d4\"": {"a1b2c3d4"},
	} {
		covered := make([]bool, len(text)+1)
		require.NoError(t, Find(t.Context(), text, func(start, end int) bool {
			for i := start; i < end; i++ {
				covered[i] = true
			}
			return true
		}))
		var got []string
		for i := 0; i < len(text); i++ {
			begin := i
			for covered[i] {
				i++
			}
			if i > begin {
				got = append(got, text[begin:i])
			}
		}
		require.Equal(t, want, got, text)
	}
}
