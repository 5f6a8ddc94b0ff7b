// SPDX-License-Identifier: Apache-2.0

package toolfailure

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFailuresOfManyKindsOfTools(t *testing.T) {
	t.Parallel()
	for _, output := range []string{
		// Answers over HTTP.
		`<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center></body></html>`,
		`<!DOCTYPE html><html><title>Error 404 (Not Found)!!1</title></html>`,
		`404 page not found`, `503 Service Unavailable`, `HTTP/2 429`, `Request failed with status code 500`, `Bad Gateway`, `Internal Server Error`, `Too Many Requests`,
		`{"message": "Internal server error"}`, `{"message": "Forbidden"}`, `{"detail": "Not Found"}`, `{"detail": "Authentication credentials were not provided.", "status": 401}`,
		`{"type": "https://example.com/probs/out-of-credit", "title": "You do not have enough credit.", "status": 403}`,
		`{"statusCode": 502, "body": "{\"message\":\"upstream\"}"}`, `{"httpStatus": 404}`, `{"errors": [{"message": "Cannot query field x"}], "data": null}`,
		`{"ok": false, "error": "channel_not_found"}`, `{"response": {"status_code": 503, "text": ""}}`, `Response status: 403`, `Unauthorized`,
		// Programs.
		`{"stdout": "", "stderr": "ls: cannot access 'x': No such file or directory", "exit_code": 2}`, `{"returncode": 1}`, `{"exitCode": 127, "output": ""}`,
		`Process exited with code 137`, `Command failed with exit status 1`, "make: *** [Makefile:12: build] Error 2", `Exit code: 2`, "cat: notes.txt: No such file or directory",
		"sh: 1: kubectl: not found", "bash: line 3: foo: command not found", "Command '['git', 'push']' returned non-zero exit status 128.", "npm ERR! code ENOENT",
		"curl: (6) Could not resolve host: api.example.com", "src/main.c:12:5: error: expected ';' before 'return'", "app.ts(3,7): error TS2322: Type 'string' is not assignable",
		"error[E0382]: borrow of moved value: `s`", "rm: cannot remove '/etc/x': Permission denied", "FAILURE: Build failed with an exception.",
		// Signals.
		`Segmentation fault (core dumped)`, `Killed`, `{"signal": "SIGKILL", "code": null}`, `The process was killed by signal 9`, `signal: killed`, `worker received SIGTERM`,
		`{"oom_killed": true}`, `{"status": "OOMKilled"}`, `Reason: OOMKilled`, "double free or corruption\nAborted (core dumped)",
		// Stack traces.
		"Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nKeyError: 'x'",
		"Exception in thread \"main\" java.lang.IllegalStateException: closed\n\tat com.example.Main.run(Main.java:42)",
		"failed to start\n\tat com.example.Main.run(Main.java:42)",
		"Something\n    at Object.<anonymous> (/app/index.js:3:9)\n    at node:internal/modules/cjs/loader:1105:14",
		"panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:\nmain.main()",
		"thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds",
		"app.rb:12:in `fetch': key not found: :x (KeyError)", "app.rb:12:in 'Hash#fetch': key not found: :x (KeyError)",
		"PHP Fatal error:  Uncaught TypeError: foo() in /var/www/x.php:3\nStack trace:", "Unhandled exception. System.NullReferenceException: Object reference not set\n   at Program.Main() in /src/Program.cs:line 7",
		"terminate called after throwing an instance of 'std::out_of_range'", "Can't locate JSON/XS.pm in @INC", "** (ArgumentError) argument error\n    (stdlib) :ets.lookup(:x, 1)",
		"Error in read.csv(\"x.csv\") : cannot open file",
		// Databases.
		`ORA-00942: table or view does not exist`, `java.sql.SQLSyntaxErrorException: ORA-01017: invalid username/password`, `ERROR:  relation "users" does not exist`,
		`SQLSTATE[42S02]: Base table or view not found: 1146`, `ERROR 1064 (42000): You have an error in your SQL syntax`, `Msg 208, Level 16, State 1, Line 1`,
		`near "SELEC": syntax error`, `SQLITE_BUSY: database is locked`, `E11000 duplicate key error collection: shop.users`, `WRONGTYPE Operation against a key holding the wrong kind of value`,
		`psycopg2.errors.UndefinedTable: relation "x" does not exist`, `TNS-12541: no listener`,
		// Clouds and gRPC.
		`An error occurred (AccessDenied) when calling the GetObject operation: Access Denied`, `{"__type": "com.amazonaws.dynamodb#ResourceNotFoundException", "message": "no table"}`,
		`<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>gone</Message></Error>`, `{"errorMessage": "2024 Task timed out after 3.00 seconds"}`, `{"errorType": "Runtime.ImportModuleError", "errorMessage": "x"}`,
		`rpc error: code = Unavailable desc = connection refused`, `{"code": 14, "message": "upstream", "details": []}`, `<_InactiveRpcError of RPC that terminated with: status = StatusCode.UNAVAILABLE>`,
		`14 UNAVAILABLE: No connection established`, `DEADLINE_EXCEEDED: deadline`, `ERROR: (gcloud.run.deploy) PERMISSION_DENIED`, `operation error S3: GetObject, https response error StatusCode: 403`,
		`{"Fault": {"faultstring": "x"}}`, `<soap:Envelope><soap:Body><soap:Fault><faultcode>soap:Server</faultcode></soap:Fault></soap:Body></soap:Envelope>`,
		`{"kind": "Status", "status": "Failure", "reason": "Forbidden"}`,
		// Messages of tools and of the protocols that call them.
		`No such volume: cache-2`, `Method not supported`, `null pointer access in worker 3, giving up`, `Impossible d'ouvrir le dossier`, `Die Datei konnte nicht gelesen werden.`, `No se pudo abrir el archivo`, `Il servizio non risponde`, `Não foi possível salvar o arquivo`, `Parametro mancante`,
		`Tool 'search_web' not found`, `Unknown tool: search`, `Tool execution failed`, `Failed to fetch the page`, `Unable to connect to the server`, `Could not parse the date`,
		`The operation timed out`, `Timeout after 30s`, `Connection reset by peer`, `Rate limit exceeded, please try again later`, `Invalid API key provided`, `connect ECONNREFUSED 127.0.0.1:5432`,
		`2 validation errors for SearchInput`, `Missing required parameter: city`, `context deadline exceeded`, `Something went wrong`, `An error occurred while running the tool`,
		`{"isError": true, "content": [{"type": "text", "text": "x"}]}`, `[{"type": "text", "text": "Error: no such city"}]`, `{"content": [{"type": "text", "text": "Failed to read the file"}]}`,
		`{"type": "error", "message": "x"}`, `{"success": "false"}`, `{"succeeded": false}`, `{"timed_out": true}`, `{"result": "failed"}`, `{"error_code": 7}`, `{"output": "Traceback (most recent call last):\n  File \"x\", line 1"}`,
		// Lists, logs, tests and languages' libraries.
		`[{"error": "quota"}]`, `{"items": [{"status": "error", "message": "x"}]}`, `{"detail": [{"loc": ["body", "city"], "msg": "field required"}]}`, `{"code": 1, "stderr": "boom", "stdout": ""}`,
		`[2024-01-01 10:00:00] ERROR: database is down`, `time=2024-05-02T10:11:12Z level=error msg="failed to pull image"`, `{"level": "error", "msg": "failed to pull image"}`,
		"FAIL\tgithub.com/acme/shop\t0.013s", `==== 2 failed, 10 passed in 0.51s ====`, `./main.go:5:2: undefined: total`, `E: Unable to locate package fooo`, `Uncaught ReferenceError: total is not defined`,
		`Insufficient permissions to perform this action`, `Invalid date format`, `Payment declined`, `Sorry, I could not find that city.`, `Zugriff verweigert`, `Erreur : fichier introuvable`,
	} {
		require.NotEmpty(t, Of("{}", output), "%q", output)
	}
}

func TestWordsOfFailureInAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	for _, output := range []string{
		`{"errcode": 0, "errmsg": "ok"}`, `{"exit_code": 0, "stdout": "done", "stderr": ""}`, `{"signal": 3, "trend": "up"}`, `{"timeout": 30}`, `{"failed": 0, "passed": 12}`,
		`{"code": 7, "message": "Seven items"}`, `{"type": "TypeScript"}`, `{"status": "completed", "reason": "done"}`, `{"killed": false}`, `{"error_count": 0}`,
		`0 errors, 0 warnings`, `Finished without errors.`, `exit code 0`, `Process exited with code 0`, `Tests: 12 passed, 0 failed`, `No failures.`,
		`Errors and Failures: a history of engineering`, `The timeout is 30 seconds by default`, `Sigmund Freud was born in 1856.`, `The earthquake was caused by a fault 12 km deep.`,
		`He was killed by 2 shots.`, `How to handle exceptions in Python`, `{"title": "HTTP status codes", "body": "A list of what servers answer, among it 404 and what it means to people who look for pages that moved long ago, and what to do."}`,
		`[{"type": "text", "text": "21 degrees"}]`, `{"content": [{"type": "text", "text": "No errors were found."}]}`, `{"name": "ValueError", "doc": "Raised when a value is wrong."}`,
		`The exit is at the end of the hall, gate 7.`, `Paris is the capital of France.`, `The code of the country is 49.`, `at 10:30:15 the train leaves`, `The bus error rate was halved.`,
		`{"results": [{"id": 1, "error": null}]}`, `{"results": [{"error": "x"}, {"id": 2}]}`, `[2024-01-01 10:00:00] INFO: database is up`, `{"level": 3, "msg": "the boss is near"}`, `Tests: 4 passed, 4 total`,
		`{"code": 404, "country": "nowhere"}`, `{"code": "SAVE10", "discount": 10}`, `500 grams of flour`, `The film "Access Denied" was shown in 1997.`, `Timeout set to 30 s`, `Aborted takeoff statistics 2019: 12`,
		`The city was not found in the list before 1900, but later it was added.`, `Kein Fehler gefunden.`, `Es gibt nichts, was nicht gefunden wurde: alle 12 Dateien sind da.`, `Smoking is not permitted in the hotel; breakfast is from 7 to 10.`, `Mission Impossible is shown at nine.`, `The pointer of the scale was at zero.`, `Invalid ballots: 1,203 of 88,412.`,
	} {
		require.Empty(t, Of("{}", output), "%q", output)
	}
}

// What is long is read in time that grows with its length alone.
func TestLongOutputsOfTools(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"error ", "exit code ", "at ", "a: ", "SQLSTATE", "<title>", "process exited ", "ORA-", "(", "fault\n", "killed by ", "Error in f("} {
		Of("", strings.Repeat(piece, 256<<10/len(piece)))
	}
}
