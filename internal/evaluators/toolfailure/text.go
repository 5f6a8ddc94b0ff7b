// SPDX-License-Identifier: Apache-2.0

package toolfailure

import (
	"regexp"
	"slices"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/evaluators/lexical"
)

// maxShortMessage is the length of a text that is one message as a whole.
const maxShortMessage = 200

// sign is a shape of failure in text.
type sign struct {
	name  string // what it is called; "" where the groups of the shape name it
	shape *regexp.Regexp
	// hints are texts in lower case, one of which is in all that has the shape:
	// most outputs have none, and are not searched for it.
	hints []string
}

func (s *sign) hinted(lower string) bool {
	return slices.ContainsFunc(s.hints, func(hint string) bool { return strings.Contains(lower, hint) })
}

// errorLines are the lines of an error, whatever stands around them.
var errorLines = []sign{
	{"", regexp.MustCompile(`(?m)^[ \t]*(?:(Traceback) \(most recent call last\)|(panic):|((?i:fatal error|fatal)):|` +
		`(?:[A-Za-z_][A-Za-z0-9_]*\.)*[A-Za-z_]*((?i:error|exception))(?:[ \t]*\[[A-Z]?\d+\])?[ \t]*:|(Exception)\b|((?i:http)(?:/\d(?:\.\d)?)?[ \t]+[45]\d\d)\b)`), []string{"traceback", "panic:", "fatal", "error", "exception", "http"}},
	{"a stack trace", regexp.MustCompile(`(?m)^[ \t]*(?:Exception in thread "[^"\n]*" |Caused by: [\w.$]+|at [\w$.<>]+\([\w$]+\.(?:java|kt|scala|groovy):\d+\)|` +
		`at (?:async )?[\w$.<>\[\] ]*\(?(?:file://|node:|/|[A-Za-z]:\\)[^\n]*:\d+:\d+\)?|at [\w.<>` + "`" + `]+\([^)\n]*\) in [^\n]+:line \d+|Unhandled exception\. |` +
		`goroutine \d+ \[[a-z ]+\]:|thread '[^'\n]*' (?:\(\d+\) )?panicked at |\*\* \([A-Z][\w.]*(?:Error|Exit)?\) |PHP (?:Fatal|Parse|Recoverable fatal) error|` +
		`(?:[\w./-]+\.rb):\d+:in [` + "`" + `'][^'\n]+': |terminate called (?:after throwing|without)|Died at \S+ line \d+|.{0,120} at \S+\.p[lm] line \d+\.?$|Can't locate \S+ in @INC|Error in [\w.$]+\([^\n]*\) ?:)`), []string{"exception in thread", "caused by", ".java:", ".kt:", ".scala:", ".groovy:", ".js:", ".ts:", ".mjs:", "node:", "file://", ":line ", "unhandled exception", "goroutine", "panicked", "** (", "php ", ".rb:", "terminate called", "died at", ".pl line", ".pm line", "locate", "error in"}},
	{"an exit code", regexp.MustCompile(`(?im)\b(?:exit(?:ed|s)?(?: with)?(?: (?:status|code|value))+|(?:process|command|script|program|job|container) (?:\S+ ){0,3}?(?:exited|finished|terminated|ended)(?: with)?(?: (?:exit ?|return ?|error ?)?(?:code|status))?|non-zero exit (?:status|code)|exit_?(?:code|status)|return(?:ed)? ?code)(?:\s*[:=]\s*|\s+)[( ]?-?(?:[1-9]\d{0,9}|0x[0-9a-f]*[1-9a-f][0-9a-f]*)\b`), []string{"exit", "return", "finished", "terminated", "ended"}},
	{"a signal", regexp.MustCompile(`(?m)^[^\n]{0,80}\b(?:[Ss]egmentation fault|Bus error|Illegal instruction|[Ff]loating point exception|core dumped|Aborted \(|OOMKilled|oom-kill|[Oo]ut of memory: Killed|SIG(?:KILL|TERM|SEGV|ABRT|BUS|FPE|ILL|PIPE)\b|(?:killed|terminated|received|caught|died|by|on|fatal) (?:by |with |from )?signal:? ?\d{1,2}\b)|^(?:Killed|Terminated|Aborted)\s*$|^signal: (?:killed|terminated|aborted|segmentation fault|interrupt)`), []string{"fault", "bus error", "illegal", "point exception", "core dumped", "abort", "oom", "out of memory", "sig", "killed", "terminated"}},
	{"an error of a database", regexp.MustCompile(`\b(?:(?:ORA|PLS|TNS|SP2|DPI|DPY)-\d{4,5}\b|SQLSTATE[ =:]?[\[(]?[0-9A-Z]{5}\b|ERROR \d{4} \([0-9A-Z]{5}\)|Msg \d+, Level (?:1[1-9]|2\d)\b|SQL\d{4,5}N\b|SQLITE_(?:ERROR|BUSY|LOCKED|READONLY|FULL|CORRUPT|CONSTRAINT|CANTOPEN|MISUSE)\b|E11000 duplicate key|near "[^"\n]*": syntax error|MongoServerError|WRONGTYPE Operation|NOAUTH Authentication|MOVED \d+ )`), []string{"ora-", "pls-", "tns-", "sp2-", "dpi-", "dpy-", "sql", "error ", "msg ", "e11000", "syntax error", "mongo", "wrongtype", "noauth", "moved "}},
	{"an error of gRPC", regexp.MustCompile(`\brpc error: code = \w+|\b_?(?:Inactive|MultiThreadedRendezvous)RpcError\b|\bStatusCode\.(?:CANCELLED|UNKNOWN|INVALID_ARGUMENT|DEADLINE_EXCEEDED|NOT_FOUND|ALREADY_EXISTS|PERMISSION_DENIED|RESOURCE_EXHAUSTED|FAILED_PRECONDITION|ABORTED|OUT_OF_RANGE|UNIMPLEMENTED|INTERNAL|UNAVAILABLE|DATA_LOSS|UNAUTHENTICATED)\b|^(?:1 CANCELLED|2 UNKNOWN|3 INVALID_ARGUMENT|4 DEADLINE_EXCEEDED|5 NOT_FOUND|6 ALREADY_EXISTS|7 PERMISSION_DENIED|8 RESOURCE_EXHAUSTED|9 FAILED_PRECONDITION|10 ABORTED|11 OUT_OF_RANGE|12 UNIMPLEMENTED|13 INTERNAL|14 UNAVAILABLE|15 DATA_LOSS|16 UNAUTHENTICATED):|^(?:DEADLINE_EXCEEDED|PERMISSION_DENIED|RESOURCE_EXHAUSTED|FAILED_PRECONDITION|INVALID_ARGUMENT|UNAUTHENTICATED|UNAVAILABLE|UNIMPLEMENTED)\s*[:.]`), []string{"rpc", "statuscode.", "_exceeded", "_denied", "_exhausted", "_precondition", "_argument", "unauthenticated", "unavailable", "unimplemented", "cancelled", "unknown:", "not_found", "already_exists", "aborted", "out_of_range", "internal:", "data_loss"}},
	{"an error of a cloud", regexp.MustCompile(`\bAn error occurred \(\w+\)(?: when calling the \w+ operation)?|<Error>\s*<Code>\w+</Code>|\b(?:api error|operation error) [\w ]+[:,]|\bStatus Code: [45]\d\d\b|"__type"\s*:\s*"[^"]*(?:Exception|Error|Fault)"|\(Code: \w+\)\s*(?:Message|$)|\bERROR: \(gcloud\.`), []string{"an error occurred (", "<error>", "api error", "operation error", "status code:", "__type", "(code:", "gcloud."}},
	{"a SOAP fault", regexp.MustCompile(`(?i)<(?:\w+:)?fault(?:code|string)?[ >]`), []string{"fault"}},
	{"an error page", regexp.MustCompile(`(?is)<(?:title|h1)[^>]*>\s*(?:error\s*)?(?:[45]\d\d\b|(?:internal server error|bad gateway|service unavailable|gateway time-?out|not found|forbidden|access denied|unauthorized|bad request|too many requests)\b)`), []string{"<title", "<h1"}},
	{"an exception", regexp.MustCompile(`^\W{0,3}(?:\w+\.)*[A-Z]\w*(?:Error|Exception)(?:\([^\n]*\))?\s*$|\bUncaught (?:\(in promise\) )?\w*(?:Error|Exception)\b|(?m:\((?:\w+::)*[A-Z]\w*(?:Error|Exception)\)\s*$)|\bnet::ERR_\w+|\[Errno -?\d+\]|\bMCP error -?\d+`), []string{"error", "exception", "net::err_", "[errno"}},
	{"a failed test", regexp.MustCompile(`(?m)^(?:--- FAIL: |FAIL(?:ED)?[ \t]+[\w./:-]*[./:]\S*|={3,}[^\n]*\b[1-9]\d* (?:failed|errors?)\b|[ \t]*[1-9]\d* failing\b|Tests?:[ \t]+[1-9]\d* failed\b|Tests run: \d+, (?:Failures: [1-9]|Failures: 0, Errors: [1-9])|test result: FAILED\b|not ok \d+\b|FAILED \((?:failures|errors)=)`), []string{"fail", "error", "not ok"}},
	{"a failed build or command", regexp.MustCompile(`(?m)^(?:[\w./\\-]+\.\w{1,5}(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\)): (?:fatal )?(?:error\b|(?:undefined|undeclared|unexpected|expected|cannot|could not|no such|missing|invalid|syntax|unresolved)[ :])|E: [A-Z]|sudo: |npm (?:ERR!|error)|make(?:\[\d+\])?: \*\*\*|error(?:\[\w+\]| TS\d+| CS\d+)|(?:-?(?:/[\w/]*/)?(?:ba|z|da|k|fi)?sh|bash|cmd|pwsh)(?:: line \d+)?(?:: \d+)?: [^\n]{1,120}: (?:command )?not found|[\w./-]{1,40}: (?:cannot|can't|unable to|unrecognized|invalid|illegal|missing|unknown|no such|command not found|permission denied|fatal:)|curl: \(\d+\)|[\w./ :-]{1,60}: (?:No such file or directory|Permission denied|Operation not permitted|Is a directory|Not a directory|Connection refused|Network is unreachable|No route to host|Connection timed out|Host is down|Name or service not known|No space left on device|Device or resource busy|Read-only file system|command not found|Input/output error)\s*$|'[^'\n]+' is not recognized as an internal or external command|[^\n]{0,80}\bis not recognized as (?:the|a) name of a cmdlet|Build FAILED|BUILD FAILURE|FAILURE: Build failed)`), []string{"error", "undefined", "undeclared", "expected", "could not", "syntax", "unresolved", "e: ", "sudo: ", "no route", "timed out", "host is down", "npm ", "make", "not found", "cannot", "can't", "unable to", "unrecognized", "invalid", "illegal", "missing", "unknown", "no such", "denied", "fatal", "curl: (", "not permitted", " a directory", "refused", "unreachable", "not known", "no space", "resource busy", "read-only", "not recognized", "build fail", "failure:"}},
}

// Of a message that is all of an output, these are failures. They are what
// tools, servers and libraries say, and not what they say it about.
var failureMessage = regexp.MustCompile(`(?i)\b(permission denied|access (?:is )?denied|not authori[sz]ed|unauthenticated|authentication (?:failed|required)|invalid (?:api key|token|credentials|signature|argument|parameter|request|input)|` +
	`(?:token|session|certificate|api key|credentials?) (?:has |have |is |are )?expired|certificate verify failed|connection (?:was |has been )?(?:refused|reset|aborted|closed|timed out|error|failed)|could not (?:connect|resolve|be (?:found|reached|parsed|loaded))|` +
	`timed[ -]out|time-?out(?: (?:of|after|error|exceeded|expired|while|waiting))|request timeout|gateway time-?out|deadline exceeded|context (?:canceled|cancelled)|not found|does(?: not|n't) exist|no such (?:file|table|column|tool|host|key|bucket|user|index|function|module|method)|unknown (?:tool|function|command|host|error|method|column)|` +
	`(?:rate|quota|usage|request) ?limit(?: has been)? (?:exceeded|reached)|rate[- ]limited|too many requests|quota exceeded|(?:missing|required) (?:required )?(?:argument|parameter|field|property|header)|(?:parameter|argument|field|property|header|value|key|["']) is (?:a )?required|field required|validation (?:errors?|failed)|out of memory|no space left on device|disk full|` +
	`bad (?:request|gateway)|internal (?:server )?error|service (?:is )?(?:temporarily )?unavailable|temporarily unavailable|method not allowed|payload too large|server error|syntax error|parse error|econn(?:refused|reset|aborted)|etimedout|enotfound|enoent|eacces|epipe|ehostunreach|eperm|` +
	`status(?: code)?:? ?[=:]? ?[45]\d\d|http(?:/\d(?:\.\d)?)? [45]\d\d)\b`)

// moreFailures are further messages of failure: of rights and bounds, of languages'
// libraries, and of those whom a tool asked.
var moreFailures = regexp.MustCompile(`(?i)\binsufficient (?:permissions?|privileges?|rights|scopes?|funds|quota|credits?|balance|storage|memory|resources)\b|\b(?:do|does)(?: not|n't) have (?:the )?(?:required )?(?:permissions?|access|rights)\b|\bnot (?:authenticated|permitted to|allowed to)\b|` +
	`^\W{0,3}invalid (?:[\w'"-]+ ){0,3}(?:format|value|values|type|dates?|urls?|ids?|names?|path|json|literal|number|state|options?|choice|query|e-?mail|address|tokens?|keys?|expression|syntax|response|operation|range|currency|amount|index)\b|\bis not (?:a )?valid\b|\bis not defined\W*$|` +
	`\b(?:card|payment|transaction|charge)s? (?:was |has been |were )?declined\b|\b(?:rejected|denied|declined|cancell?ed|aborted|interrupted|blocked|refused) by (?:the |a |your )?(?:\w+ )?(?:users?|policy|policies|server|admin\w*|filters?|operator|firewall|host|provider|rules?)\b|\busers? (?:has )?(?:denied|rejected|declined|cancell?ed|refused) (?:this|the) (?:action|request|tool|call|operation|permission|command)\b|` +
	`\b(?:has been|was|is) (?:blocked|disabled|suspended|revoked|locked|banned|throttled|deactivated)\W*$|\b(?:account|key|token|tool|user|project) (?:suspended|disabled|locked|revoked|deactivated)\W*$|\bthrottled\b|` +
	`\b(?:have|has) (?:been )?exceeded\b|\b(?:length|depth|size|limit|quota|budget|time|retries|attempts|capacity|window|tokens) exceeded\b|\bexceeds (?:the|its|your) (?:maximum|limit|quota|size|length)\b|\b(?:is|are) too (?:long|large|big|many)\W*$|` +
	`\b(?:index|key|value|argument|date|month|day) (?:is )?out of (?:range|bounds)\b|\binvalid literal\b|\bunsupported operand\b|^\W{0,3}(?:\w+ )?division by zero\W*$|\bcould not convert\b|\bcannot read propert|\bunexpected (?:token|end of|eof|character|identifier)\b|\bundefined (?:method|variable|function|index|reference)\b|\bsocket hang up\b|\bi/o (?:error|timeout)\b|\b(?:disk|read|write|network|input/output) error\W*$|\bupstream (?:connect|request) (?:error|timeout)\b|\bconnection aborted\b|` +
	`^\W{0,3}no such (?:\w+[ :]){0,2}|\b(?:operation|action|request|method|command|access|call) (?:is )?not (?:permitted|allowed|supported|implemented|possible)\b|\bnull[ -]pointer (?:dereference|exception|access)\b|\b(?:segmentation|bus|protection|page) fault\b|\bstack overflow\W*$|\bcore dumped\b|[,;] (?:aborting|giving up|exiting)\W*$|^\W{0,3}(?:nothing|no \w+) (?:could|can) be (?:found|loaded|read|opened|reached)\b|` +
	`\bno (?:matching )?(?:tool|function|command|handler|route|method|host|device|such \w+)\b[^.\n]{0,30}\b(?:found|exists|available|registered|matches)\b|\balready exists\W*$|\bcaptcha (?:is )?required\b|\bmissing authentication\b|\bplease (?:sign|log) in\b|\b(?:permission|login|authentication|authorization|api key|payment|subscription|token) (?:is )?required\W*$`)

// failureElsewhere are messages of failure in other languages than English.
var failureElsewhere = regexp.MustCompile(`(?i)^\W{0,3}(?:fehler|erreur|errore|erro|ошибка|错误|エラー|오류|błąd|fout|hata)\s*(?:[:：!]|\d{3}\b)|\b(?:zugriff (?:wurde )?verweigert|keine berechtigung|acc[eè]s (?:refus[eé]|interdit)|acceso (?:denegado|prohibido)|accesso negato|acesso negado|(?:nicht|konnte nicht) gefunden(?: werden)?\W*$|introuvable\W*$|no (?:se )?encontr(?:ado|ada|ó)|non trovat[oa]|n[ãa]o encontrad[oa])|^\W{0,3}(?:fehlgeschlagen|échec|échoué|fall[oó]|fallito|falha)\b|` +
	`^\W{0,3}(?:imposs?ible|impossibil[ei]|imposs[ií]vel|unm[oö]glich) (?:de |di )?[a-zà-ü']+(?:er|ir|re|ar|[aei]r[aei])\b|\b(?:konnte|konnten|kann) nicht [a-zäöüß]+ werden\b|\bantwortet nicht\b|\b(?:n'a pas pu|n'ont pas pu|ne r[ée]pond pas)\b|\bno se (?:pudo|puede|pudieron|ha podido)\b|\bno responde\b|\bnon [èe] (?:(?:stato )?possibil[ei]|riuscit[oa])\b|\bnon (?:risponde|riesco|riesce)\b|` +
	`\bn[ãa]o (?:foi poss[ií]vel|responde|p[ôo]de)\b|^\W{0,3}(?:ung[üu]ltige[rsn]?|invalide|inv[aá]lid[oa]|non valid[oa]|ongeldige?) [a-zà-ü]+\b|\b(?:paramètre|par[aá]metro|parametro|parameter) (?:manquant|mancante|faltante|ausente|fehlt|ontbreekt)\b|\b(?:fehlt|manquante?|mancante|faltante|ontbreekt)\W*$`)

// told is how a text reports past events, or lists what it found: those are no messages of
// failure.
var told = regexp.MustCompile(`(?i)^1\. .+\n2\. |\burl: https?://|\b(?:in|before|since|until|after|by|of|from) (?:the year )?(?:1\d{3}|20\d\d)\b(?:[^-/:]|$)`)

// apology is how a service says that it did not do what was asked.
var apology = regexp.MustCompile(`(?i)^\W{0,3}(?:sorry|unfortunately|we|i|i'm sorry)\b[^.\n]{0,40}\b(?:could not|couldn't|cannot|can't|(?:was|were|am|are) (?:unable|not able)|did not|didn't)\b`)

// loggedError is how a log begins a line that tells of an error.
var loggedError = regexp.MustCompile(`^\W{0,2}(?:\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?\W{0,3}\s*\W?(?:ERROR|FATAL|CRITICAL|SEVERE)\b|E\d{4} \d\d:\d\d:)|\b(?:level|lvl|severity)=\"?(?i:error|fatal|critical|panic)\b`)

// failedDeed is what did not come to its end.
var failedDeed = regexp.MustCompile(`(?i)\b(?:request|operation|call|command|tool|execution|query|job|task|upload|download|connection|transaction|payment|login|lookup|process)\b[^.\n]{0,40}\b(?:failed|was (?:rejected|aborted|denied|cancelled|canceled|refused|terminated))\b`)

// refusedStart is how a message of failure begins.
var refusedStart = regexp.MustCompile(`(?i)^\W{0,3}(?:(?:an? )?(?:unexpected |unknown |internal |unhandled )?(?:error|exception|failure)\b(?:\s+(?:occurred|while|when|in|executing|calling|running|during|code|\d+|\()|\s*[:!]|\s+-\s|$)|failed\b(?:\s+(?:to|with|because|due|after)\b|\s*[:!]|$)|(?:forbidden|unauthori[sz]ed|access denied)\b\s*(?:[:.!]|$)|(?:unable|was not able|not able|could not|couldn't|cannot|can't) (?:to )?[a-z]+|[45]\d\d (?:bad request|unauthori[sz]ed|payment required|forbidden|(?:page )?not found|method not allowed|not acceptable|request timeout|conflict|gone|length required|precondition failed|payload too large|unprocessable|too many requests|internal server error|not implemented|bad gateway|service (?:temporarily )?unavailable|gateway time-?out|client error|server error)\b|err(?:or)?_[a-z_]+$|aborted\W*$|timeout\W*$|something went wrong|oops\b|sorry, (?:an error|something|the service|we (?:could|can))|the (?:server|service|tool|api|operation|request) (?:returned an error|is (?:down|unavailable|not available)|(?:has )?failed|could not))`)

// noFailure is what a message says that reports success in words of failure.
var noFailure = regexp.MustCompile(`(?i)\b(?:no|0|zero|without(?: any)?|not?\s+(?:a|an|any)) (?:\w+ )?(?:errors?|failures?|failed|exceptions?|timeouts?|problems?)\b|\b(?:errors?|failures?|failed|exceptions?|timeouts?)\s*[:=]\s*(?:0|none|false|null|no)\b|\bexit(?:ed)?(?: with)?(?: (?:code|status))?:? 0\b`)

// textFailure returns the sign of an error in plain text, or "".
func textFailure(text string) string {
	if name := InLine(text); name != "" {
		return "The tool output tells of an error: " + name + "."
	}
	text = strings.TrimSpace(text)
	if len(text) > maxShortMessage || noFailure.MatchString(text) || told.MatchString(text) {
		return ""
	}
	if loggedError.MatchString(text) {
		return "The tool output is a log's line of an error."
	}
	said := strings.TrimSpace(lexical.WithoutQuotes(text))
	if said == "…" {
		said = text
	}
	for _, shape := range []*regexp.Regexp{failureMessage, moreFailures, failureElsewhere} {
		if found := shape.FindString(said); found != "" {
			return "The tool output is a message of failure: " + strings.ToLower(strings.TrimSpace(found)) + "."
		}
	}
	if failedDeed.MatchString(said) || refusedStart.MatchString(said) || apology.MatchString(said) {
		return "The tool output is a message of failure."
	}
	return ""
}

// lineFailure returns what the first of the signs that a text has is called, or
// "". lower is the text in lower case.
func lineFailure(text, lower string, signs []sign) string {
	for i := range signs {
		s := &signs[i]
		if !s.hinted(lower) {
			continue
		}
		found := s.shape.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		for _, name := range append(found[1:], s.name) {
			if name != "" {
				return name
			}
		}
	}
	return ""
}

// InLine returns what the line of an error that a text has is called, or "".
func InLine(text string) string { return lineFailure(text, strings.ToLower(text), errorLines) }
