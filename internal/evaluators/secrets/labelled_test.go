// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const base64url = alnum + "_-"

// Keys of services are found by how they begin, wherever they stand; what only begins
// like one is not.
func TestKeysOfServices(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]string{
		"our own": "tl_" + made(101, 43, base64url), "webhooks": "whsec_" + made(102, 32, alnum), "webhooks in base64": "whsec_" + made(103, 43, alnum+"+/") + "=", "figma": "figd_" + made(104, 40, base64url),
		"supabase": "sbp_" + made(105, 40, hex), "supabase project": "sb_secret_" + made(106, 22, alnum) + "_" + made(107, 8, alnum), "sentry": "sntrys_eyJ" + made(108, 60, alnum) + "_" + made(109, 43, alnum),
		"sentry user": "sntryu_" + made(110, 64, hex), "render": "rnd_" + made(111, 28, alnum), "vercel blob": "vercel_blob_rw_" + made(112, 16, alnum) + "_" + made(113, 30, alnum), "vercel": "vcp_" + made(114, 40, alnum),
		"hack club": "sk-hc-v1-" + made(115, 64, hex), "resend": "re_" + made(116, 8, alnum) + "_" + made(117, 24, alnum), "neon": "napi_" + made(118, 64, lower+digits), "netlify": "nfp_" + made(119, 36, alnum),
		"buildkite": "bkua_" + made(120, 40, hex), "circleci": "CCIPAT_" + made(121, 22, alnum) + "_" + made(122, 40, hex), "apify": "apify_api_" + made(123, 36, alnum),
		"tailscale": "tskey-auth-k" + made(124, 12, alnum) + "CNTRL-" + made(125, 32, alnum), "runpod": "rpa_" + made(126, 42, upper+digits), "honeycomb": "hcaik_01" + made(127, 56, lower+digits),
		"trello": "ATTA" + made(128, 64, hex), "atlassian": "ATATT3xFfGF0" + made(129, 170, base64url), "aiven": "AVNS_" + made(130, 19, alnum), "hubspot": "pat-na1-" + uuid4(131),
		"wandb": "wandb_v1_" + made(132, 20, alnum) + "_" + made(133, 45, alnum), "logfire": "pylf_v1_us_" + made(134, 43, alnum), "launchdarkly": "sdk-" + uuid4(135), "atlas": "mdb_sa_sk_" + made(136, 40, alnum),
		"typeform": "tfp_" + made(137, 44, alnum) + "_" + made(138, 14, alnum), "paypal": "access_token$production$" + made(139, 16, lower+digits) + "$" + made(140, 32, hex), "sonarqube": "squ_" + made(141, 40, hex),
		"mailgun": "key-" + made(142, 32, hex), "grafana": "glc_eyJ" + made(143, 60, alnum), "tencent": "AKID" + made(144, 32, alnum), "meta": "EAACEdEose0cBA" + made(145, 60, alnum),
	} {
		require.True(t, hasSecret(t, "we use "+key+" for it"), "%s: %s", name, key)
		require.True(t, hasSecret(t, "KEY="+key), "%s: %s", name, key)
		prefix := key[:max(4, strings.IndexAny(key, "_-$")+1)]
		require.False(t, hasSecret(t, "what begins with "+prefix+" is one, such as "+prefix+"your_key_goes_here_and_nowhere_else_at_all"), name)
	}
	for _, text := range []string{
		"tl_dr_this_is_a_very_long_identifier_in_code_x", "rnd_seed_for_the_tests = 4", "napi_create_function(env, name, len, cb, data, &fn)", "const rnd_generator_of_numbers = make()",
		"re_compiler_ofallexpressionsinthefile", "api-gateway-of-the-second-kind", "key-value-store-of-the-first-kind-aa",
	} {
		require.False(t, hasSecret(t, text), text)
	}
}

// A sentence tells a password, and others tell what is the matter with one.
func TestPasswordsToldInSentences(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"my password is hunter2", "My password is hunter2, can you log in for me?", "the wifi password is: Sunflower42!", "use passcode 4711-ABCD", "Use the passcode 4711-ABCD to join.", "Your temporary password is Xk29qp",
		"The password for the router is Mango7Tree", "log in as bob with password Mango7Tree9", "my password is qwertzuiop", "My password is letmein", `the password is "correcthorse"`, "my password is p@ss!word",
		"the passcode for the gate is 7731-KLM", "our password was changed to Trombone_44",
	} {
		require.True(t, hasSecret(t, text), text)
	}
	for _, text := range []string{
		"my password is wrong", "my password is required", "The password is expired.", "my password is not working", "the password is the same", "my password is incorrect!", "my password was phished", "our password is shared.",
		"my password is password", "my password is 8 characters long", "password is case-sensitive", "The password is SHA-256 hashed", "The password is base64-encoded", "his password is MD5-hashed", "the password is 10-20 characters",
		"The password is in config.yaml", "the password is stored as utf8mb4", "use passcode 6 times", "with password TLS1.3", "with passcode iPhone15", "and password Field2 are required", "use password hash_v2 in the table",
		`The password is "incorrect".`, "the password is $PASSWORD", "the password is <password>", "the password is ********", "the password is N/A", "my password is ada@example.com",
	} {
		require.False(t, hasSecret(t, text), text)
	}
}

// The words by which a wallet is recovered are a secret, and a sentence about them is none.
func TestRecoveryPhrases(t *testing.T) {
	t.Parallel()
	const words = "velvet marble orange canyon picnic ladder sunset walnut copper meadow basket ribbon"
	for _, text := range []string{
		"my seed phrase is " + words, "Recovery phrase: " + words, "Mnemonic:\n" + words, `seed phrase "` + strings.ReplaceAll(words, " ", ", ") + `"`, "the recovery words for the wallet are " + words + " " + words,
		"here is my seed phrase: 1. velvet 2. marble 3. orange 4. canyon 5. picnic 6. ladder 7. sunset 8. walnut 9. copper 10. meadow 11. basket 12. ribbon",
	} {
		require.True(t, hasSecret(t, text), text)
	}
	for _, text := range []string{
		words, "my seed phrase is " + words[:strings.LastIndexByte(words, ' ')], "A seed phrase is a list of words that you write down and keep in a safe place for later.",
		"your recovery phrase must never be shared with anybody, not even people who say they are support", "The mnemonic for the planets is my very educated mother just served us nachos",
		"mnemonic devices help students remember long lists because rhymes stick better than plain facts alone could", "the recovery phrase should never be stored online since hackers often steal wallets from careless users",
		"Mnemonic: " + strings.Repeat("word ", 12),
	} {
		require.False(t, hasSecret(t, text), text)
	}
}

// Passwords are found where programs take them on a command line.
func TestPasswordsOnCommandLines(t *testing.T) {
	t.Parallel()
	for text, none := range map[string]string{
		"sshpass -p Qu4rtzite ssh ops@10.2.3.4":                               `sshpass -p "$PASS" ssh ops@10.2.3.4`,
		"mysql -u root -pTr0mbone99 shop":                                     "mysql -u root -p shop99",
		"mysqldump --user=app --password=Marzipan7 shop":                      "mysqldump --user=app --password shop",
		"mariadb -h db -u wiki -pHeron_44blue wiki":                           "mariadb -P 3306 -h db",
		"curl -u ada:l0velace1815 https://api.internal.test":                  "curl -u username:password https://api.internal.test",
		"curl --user 'ada:l0velace1815' https://api.internal.test":            `curl -u "${USER}:${PASS}" https://api.internal.test`,
		"wget --http-user=ada --http-passwd=l0velace1815 http://files.test/a": "wget --http-user=ada --http-passwd=<password> http://files.test/a",
		"redis-cli -h cache -a w1llow-bark ping":                              "redis-cli -h cache -a $REDIS_PASSWORD ping",
		"sqlcmd -S db1 -U sa -P Str0ngHeron!":                                 "sqlcmd -S db1 -U sa -P $(cat file1)",
		"sqlplus scott/lily9flower@orcl":                                      "sqlplus scott/tiger@orcl",
		"mongosh --username root --password w1llow-bark":                      "mongosh --username root --password",
		"xfreerdp /u:ada /p:w1llowBark9 /v:term1":                             "xfreerdp /u:ada /p:$PASS /v:term1",
		`net use z: \\files\share w1llowBark /user:CORP\ada`:                  `net use z: \\files\share * /user:CORP\ada`,
		"ldapsearch -x -D cn=admin -w w1llow-bark9":                           "ldapsearch -x -D cn=admin -W",
		"smbclient //files/share -U 'ada%w1llow-bark9'":                       "smbclient //files/share -U ada",
		"7z x archive.7z -pb1ueheron44":                                       "7z x archive.7z -password",
		"zip -r -P b1ueheron44 a.zip b":                                       "unzip -P <password> a.zip",
		"openssl pkcs12 -in a.p12 -passin pass:b1ueheron44":                   "openssl pkcs12 -in a.p12 -passin pass:password",
		"openssl enc -aes-256-cbc -k b1ueheron44 -in a":                       "openssl enc -aes-256-cbc -kfile key1 -in a",
		"keytool -importkeystore -srcstorepass b1ueheron44":                   "keytool -importkeystore -srcstorepass changeit",
		"gpg --batch --passphrase b1ueheron44 -d a.gpg":                       "gpg --batch --passphrase-file secret1.txt -d a.gpg",
		"helm upgrade app . --set db.password=b1ueheron,replicas=2":           "helm upgrade app . --set db.password=$PASSWORD",
		"docker run -e POSTGRES_PASSWORD=b1ueheron postgres":                  "docker run -e POSTGRES_PASSWORD=mysecretpassword postgres",
		"kubectl create secret generic db --from-literal=password=b1ueheron4": "kubectl create secret generic db --from-literal=password=$PASS",
		"echo w1llow-bark | docker login -u ada --password-stdin":             "cat file-1 | docker login -u ada --password-stdin",
		"echo 'w1llow-bark9' | sudo -S apt-get update":                        "echo $PASS | sudo -S apt-get update",
		`useradd ada && echo "ada:b1ueheron44" | chpasswd`:                    `echo "ada:$PASS" | chpasswd`,
		"PGPASSWORD=m0untaingoat psql -h db":                                  "PGPASSWORD=$PASS psql -h db",
	} {
		require.True(t, hasSecret(t, text), text)
		require.False(t, hasSecret(t, none), none)
	}
	for _, text := range []string{"mkdir -p /var/lib/app/data1", "docker run -p 8080:80 nginx", "cp -pr src1 dst1", "psql -h db -U app -p 5432 shop", "pytest -p no:cacheprovider", "nmap -p1-65535 host", "tar -xpf a1.tar"} {
		require.False(t, hasSecret(t, text), text)
	}
}

// Passwords are found in queries and in the settings of connections; those of samples
// are none.
func TestPasswordsOfConnections(t *testing.T) {
	t.Parallel()
	for text, none := range map[string]string{
		"redis://:s0rrel_leaf@cache.internal.test:6379/0":                     "redis://:password@localhost:6379/0",
		"amqp://:s0rrelLeaf2@queue:5672/":                                     "amqp://guest:guest@queue:5672/",
		"postgres://app:s0rrelLeaf2@db/shop":                                  "postgres://username:password@host:5432/database",
		"postgres://ada:lovelace@db.internal.test/shop":                       "https://user:password@example.com/path",
		"https://ada:trombone@files.internal.test":                            "http://foo:bar@www.example.org",
		"mongodb+srv://ada:trombone@cluster.internal.test":                    "mongodb+srv://USERNAME:PASSWORD@cluster.internal.test",
		"postgresql://db.internal.test/shop?user=app&password=s0rrelLeaf":     "jdbc:mysql://localhost/test?user=fred&password=secret&ssl=true",
		"postgres://app@db/shop?sslmode=require&sslpassword=s0rrelLeaf":       "postgres://app@db/shop?sslmode=require&sslpassword=${PASS}",
		"GET /login?username=ada&passwd=s0rrelLeaf HTTP/1.1":                  "GET /login?username=ada&passwd=*** HTTP/1.1",
		"https://api.internal.test/v1?access_token=zk93hs0al2mvn5":            "https://api.internal.test/v1?api_key=YOUR_API_KEY",
		"host=db.internal.test user=app password=s0rrelLeaf dbname=shop":      "host=localhost user=app password=secret dbname=shop",
		`dsn = "host=db user=app password=s0rrelLeaf dbname=shop"`:            "connect(host=db, user=app, password=passphrase, dbname=shop)",
		"password=s0rrelLeaf host=db user=app":                                "password=<password> host=db user=app",
		`dsn := "app:s0rrelLeaf2@tcp(10.0.0.7:3306)/shop"`:                    `dsn := "user:password@tcp(10.0.0.7:3306)/shop"`,
		"jdbc:sqlserver://db:1433;databaseName=shop;user=sa;password=s0rrel2": "jdbc:sqlserver://db:1433;databaseName=shop;user=sa;password=${pw}",
		"jdbc:oracle:thin:scott/s0rrelLeaf2@//db:1521/orcl":                   "jdbc:oracle:thin:scott/tiger@//db:1521/orcl",
		"Driver={ODBC Driver 18};Server=db;UID=sa;PWD={s0rrel;Leaf};":         "Driver={ODBC Driver 18};Server=db;UID={user};PWD={password};",
		"bearer " + made(150, 40, alnum):                                      "bearer authentication_with_long_token_names",
	} {
		require.True(t, hasSecret(t, text), text)
		require.False(t, hasSecret(t, none), none)
	}
}

// Passwords are found behind a label, in a sentence, in markup and in a table, in the
// languages that are supported.
func TestPasswordsBehindLabels(t *testing.T) {
	t.Parallel()
	for text, none := range map[string]string{
		"**Password:** m4ndolin7":                                            "**Password:** at least 8 characters",
		"- **Password**: `mandolin`":                                         "- **Password**: `string`",
		"* __API key:__ m4nd0linpick99":                                      "- **API key:** get one at https://platform.internal.test/keys",
		"user: ada pass: m4ndolin7":                                          "pass: 12, fail: 3 of 15",
		"Please use the password m4ndolin7 to log in.":                       "Please use the password you were given.",
		"the password is m4ndolin7, keep it":                                 "the password is case-sensitive",
		"password: tr0mbone-99 for the wiki":                                 "password: 8-character minimum",
		"<password>mandolin-pick</password>":                                 "<password>${env.PASSWORD}</password>",
		"<apiKey>m4nd0linpick99</apiKey>":                                    "<apiKey>your-key</apiKey>",
		`<add key="DbPassword" value="mandolin" />`:                          `<add key="DbPassword" value="${db.password}" />`,
		`<property name="hibernate.connection.password">m4ndolin</property>`: `<string name="forgot_password">Forgotten?</string>`,
		"<tr><td>Password</td><td><code>m4ndolin7</code></td></tr>":          "<tr><td>Password</td><td>required</td></tr>",
		"| user | password |\n|---|---|\n| ada | m4ndolin7 |":                "| user | password |\n|---|---|\n| name | at least 8 |",
		"Service | Login | Password\n:--|:--|:--\nwiki | ada | `m4ndolin7`":  "Parameter | Type | Description\n:--|:--|:--\npassword | string | of the user",
		"| Host | db1 |\n| Password | m4ndolin7 |":                           "| Host | db1 |\n| Password | yes |",
		"contraseña: mandolina77":                                            "La contraseña es obligatoria.",
		"La contraseña es mandolina77.":                                      "La contraseña es incorrecta, inténtelo de nuevo.",
		"clave: mandolina77":                                                 "clave: la paciencia",
		"clave_secreta = \"mandolina\"":                                      "clave_primaria = \"mandolina\"",
		"mot de passe : mandoline77":                                         "mot de passe : votre mot de passe",
		"mot_de_passe = \"mandoline\"":                                       "mot_cle = \"mandoline\"",
		"Le mot de passe est mandoline77.":                                   "Le mot de passe est obligatoire.",
		"mdp: mandoline77":                                                   "mdp: obligatoire",
		"Passwort: Mandoline77!":                                             "Passwort: mindestens acht Zeichen",
		"Das Passwort lautet mandoline77.":                                   "Das Passwort lautet anders.",
		"db_kennwort: \"mandoline\"":                                         "db_kennwort: \"${KENNWORT}\"",
		"zugangscode: mandoline77":                                           "zugangscode: erforderlich",
		"A senha é bandolim77.":                                              "A senha é fraca.",
		"senha_do_banco = \"bandolim\"":                                      "senha_do_banco = \"${SENHA}\"",
		"palavra-passe: bandolim77":                                          "palavra-passe: obrigatória",
		"parola d'ordine: mandolino77":                                       "parola: mandolino",
		"chiave_segreta = \"mandolino\"":                                     "La chiave segreta del successo è la pazienza.",
		"wachtwoord: mandoline77":                                            "wachtwoord: verplicht",
		"password = \"mandolin\"":                                            "password_file = \"mandolin\"",
		"client_secret: q7u33n-of-hearts":                                    "secret_name: my-app-secret-v2",
		`{"db": {"password": "mandolin"}, "port": 5432}`:                     `{"db": {"passwordField": "mandolin"}, "port": 5432}`,
	} {
		require.True(t, hasSecret(t, text), text)
		require.False(t, hasSecret(t, none), none)
	}
}

// The place of a password in a table is that of its letters.
func TestPlacesInTables(t *testing.T) {
	t.Parallel()
	text := "| user | Password | note |\n|---|:-:|---|\n| ada |  `m4ndolin7`  | x1y2z3a4b5 |\n| bob | **tr0mbone9** |\n\n| password | none |\n"
	var got []string
	require.NoError(t, Find(t.Context(), text, func(start, end int) bool {
		got = append(got, text[start:end])
		return true
	}))
	require.Equal(t, []string{"m4ndolin7", "tr0mbone9"}, got)
	require.Len(t, cells(strings.Repeat("|a", 1000)), maxCells)
}
