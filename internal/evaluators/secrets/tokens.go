// SPDX-License-Identifier: Apache-2.0

package secrets

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

// token is a form of secrets.
type token struct {
	// keywords are in lower case; a match has one of them. None is like one that
	// is everywhere.
	keywords   []string
	expression string
	// accept judges the group of a match, nil takes every one.
	accept func(value string) bool
	// unless judges what stands before the group of a match, with some bytes before the
	// match, nil takes every one.
	unless func(before string) bool
	// sign is what the longest run of a match has one of, "" for nothing: without
	// one no value is accepted.
	sign string
}

// tokens are forms of secrets that gitleaks does not know, or only next to the
// name of their service.
var tokens = slices.Concat(cloudTokens, vendorTokens, serviceTokens, placedTokens, labelledTokens, toldTokens, commandTokens, calledTokens)

// ownerBytes is how far before a match the name may begin that tells what a key is for.
const ownerBytes = 16

// cloudTokens are identifiers of keys to a cloud, tokens of Telegram,
// Mailchimp, Artifactory, Square, IBM and Cloudant, keys to storage at Azure, tokens of Discord
// and others that begin like nothing else, and the beginnings of private keys.
var cloudTokens = []token{
	{keywords: []string{"akia", "asia", "abia", "acca", "a3t"}, expression: `\b(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}\b`},
	{keywords: []string{":aa"}, expression: `(?:\b|\bbot)\d{8,10}:AA[0-9A-Za-z_-]{32,33}(?:\b|$)`},
	{keywords: []string{"telegram", "tgram"}, expression: `(?i)(?:(?:telegram|tgram)\W{1,5}|\bapi\.telegram\.org/(?:file/)?bot)(\d{8,10}:[0-9A-Za-z_-]{35})(?:\b|$)`},
	{expression: `(?m)^["']?(\d{8,10}:[0-9A-Za-z_-]{35})["']?\s*$`, accept: isTokenLike}, // the same on a line of its own
	{keywords: []string{"-us"}, expression: `\b[0-9a-z]{32}-us\d{1,2}(?:\b|$)`},
	{keywords: []string{"akc"}, expression: `\bAKC[a-zA-Z0-9]{10,}(?:\b|$)`},
	{keywords: []string{"sq0"}, expression: `\bsq0(?:atp-[0-9A-Za-z_-]{22}|csp-[0-9A-Za-z_-]{43})(?:\b|$)`},
	{keywords: []string{"accountkey="}, expression: `AccountKey=[a-zA-Z0-9+/=]{88}`},
	{expression: `\b[MNO][a-zA-Z\d_-]{22,27}\.[a-zA-Z\d_-]{6}\.[a-zA-Z\d_-]{27,38}`},
	{keywords: []string{"private key"}, expression: `-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?----|---- BEGIN (?:[A-Z0-9]+ )+PRIVATE KEY ----|(?m:^[\s"'#]{0,8}BEGIN (?:[A-Z0-9]+ ){1,3}PRIVATE KEY(?: BLOCK)?["']?\s*$)`},
	{keywords: []string{"putty-user-key-file-"}, expression: `PuTTY-User-Key-File-\d: [a-z0-9-]{6,}`},
	{keywords: []string{"ls0tls1crudjti"}, expression: `LS0tLS1CRUdJTi[A-Za-z0-9+/]{20,}`, accept: isPrivateKey},
	{keywords: []string{"aio_"}, expression: `\baio_[a-zA-Z0-9]{28}\b`},
	{keywords: []string{"dckr_"}, expression: `\bdckr_(?:pat|oat)_[a-zA-Z0-9_-]{27,32}(?:\b|$)`},
	{keywords: []string{"dp."}, expression: `\bdp\.(?:ct|pt|st|scim|audit|sa|said)\.(?:[a-z0-9_-]{2,35}\.)?[a-zA-Z0-9]{40,44}\b`},
	{keywords: []string{"oy2"}, expression: `\boy2[a-z0-9]{43}\b`},
	{keywords: []string{"cfpat-"}, expression: `\bCFPAT-[a-zA-Z0-9_-]{43,}(?:\b|$)`},
	{keywords: []string{"secret_", "ntn_"}, expression: `\b(?:secret_[a-zA-Z0-9]{43}|ntn_[a-zA-Z0-9]{43,47})\b`},
	{keywords: []string{"pat"}, expression: `\bpat[a-zA-Z0-9]{14}\.[a-f0-9]{64}\b`}, // Airtable
	{keywords: []string{"flwseck-"}, expression: `\bFLWSECK-[a-zA-Z0-9]{32}-X\b`},
	{keywords: []string{"zpka_", "dbtc_", "dbtu_"}, expression: `\b(?:zpka_[a-f0-9]{32}_[a-f0-9]{8}|dbt[cu]_[a-zA-Z0-9_-]{36,60})(?:\b|$)`},
	{keywords: []string{"retool_"}, expression: `\bretool_01[a-z0-9]{24}\b`},
	{keywords: []string{"nrak-", "nral"}, expression: `\b(?:NRAK-[A-Z0-9]{27}|[a-f0-9]{36}NRAL)\b`},
	{keywords: []string{"live_"}, expression: `\blive_\d{8,10}_[a-zA-Z0-9]{28,30}\b`},
	{keywords: []string{"gl"}, expression: `\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[a-zA-Z0-9_-]{20,}`},
	{keywords: []string{"ap"}, expression: `(?:^|[\s=:"'])(AP[\dA-F][a-zA-Z0-9]{8,})(?:["'\s]|$)`, accept: isMixed, sign: decimals},
	{keywords: []string{"cio", "odt_", "alpine_"}, expression: `\b(?:cio[a-zA-Z0-9]{32}|(?:odt|alpine)_[a-zA-Z0-9]{32,40})\b`},
	{keywords: []string{"ssws", "okta"}, expression: `(?i)(?:ssws|okta)[\w .-]{0,30}["']?[ \t:=]{1,4}["']?(00[a-zA-Z0-9_-]{39,40})(?:\b|$)`},
	{keywords: []string{"00"}, expression: `\b00[a-zA-Z0-9]{13}![a-zA-Z0-9._]{90,120}`}, // Salesforce
	{keywords: []string{"hooks.slack.com", "xapp-", "xoxe", "xwfp-"}, expression: `https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_+-]{40,}|\b(?:xapp-\d-|xoxe\.xox[bp]-\d-|xoxe-\d-|xwfp-)[a-zA-Z0-9-]{30,}`},
	{keywords: []string{"ac", "sk"}, expression: `\b(?:AC|SK)([a-z0-9]{32})\b`, accept: isTwilio},
	{keywords: []string{"eyj"}, expression: `\beyJ[a-zA-Z0-9_=-]{14,}\.eyJ[a-zA-Z0-9_=-]{14,}(?:\.[a-zA-Z0-9_.+/=-]*)?`},
	{keywords: []string{"eyj", "ewog", "ew0k"}, expression: `\be(?:yJ|wog|w0K)[a-zA-Z0-9_-]{14,}\.(?:e(?:y|wog|w0K|30)|IHsi)[a-zA-Z0-9_-]*\.[a-zA-Z0-9_-]{20,}`}, // with white space, or without claims
	{keywords: []string{"jenkins"}, expression: `(?i)jenkins[\w .-]{0,30}["']?[ \t:=]{1,4}["']?(11[0-9a-f]{32}|[0-9a-f]{32})\b`},
	{keywords: []string{"nrii-", "nraa-", "nrjs-", "nriq-", "nrra-"}, expression: `\bNR(?:II|AA|JS|IQ|RA)-[a-zA-Z0-9_-]{19,42}`},
	{keywords: []string{"gocspx-", "ya29."}, expression: `\b(?:GOCSPX-[a-zA-Z0-9_-]{28}|ya29\.[a-zA-Z0-9_-]{40,})`},
	{keywords: []string{"_authtoken"}, expression: `:_authToken=\s*["']?([^\s"'$<{]{8,})`, accept: isNoPlaceholder},
	{keywords: []string{"pk_"}, expression: `\bpk_\d{6,9}_[A-Z0-9]{28,34}\b`},
	{keywords: []string{"phc_", "phx_"}, expression: `\bph[cx]_[a-zA-Z0-9]{40,50}\b`},
	{keywords: []string{"incomingwebhook"}, expression: `https://[\w.-]{0,60}office\.com/webhook(?:b2)?/[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{30,36}`},
	{keywords: []string{"discord"}, expression: `https://(?:\w{1,10}\.)?discord(?:app)?\.com/api/webhooks/\d{17,20}/[\w-]{60,}`},
	{keywords: []string{"ion_"}, expression: `\bion_[a-zA-Z0-9]{42}\b`},
	// IBM's keys to its cloud, to its object storage and to what was SoftLayer, and keys of Cloudant.
	// https://cloud.ibm.com/docs/account?topic=account-userapikey
	// https://cloud.ibm.com/docs/cloud-object-storage?topic=cloud-object-storage-uhc-hmac-credentials-main
	{keywords: []string{"ibm", "iam"}, expression: `(?i)(?:ibm|\biam)[\w .-]{0,30}(?:key|pass|pwd|token|secret)[\w.-]{0,20}["']?[ \t]{0,3}(?:::|:=|=>|=|:| )[ \t]{0,3}["']?([a-zA-Z0-9_-]{44})(?:["'\s,;]|$)`, accept: isTokenLike},
	{keywords: []string{"secret_access_key", "secret-access-key", "secretaccesskey", "cos_", "cos-"}, expression: `(?i)(?:secret[_-]?access[_-]?key|\bcos[_-])[\w.-]{0,30}["']?[ \t]{0,3}(?:::|:=|=>|=|:| )[ \t]{0,3}["']?([a-f0-9]{48})\b`},
	{keywords: []string{"softlayer", "sl_", "sl-"}, expression: `(?i)(?:softlayer|\bsl[_-])[\w .-]{0,30}(?:key|pass|pwd|token|secret)[\w.-]{0,20}["']?[ \t]{0,3}(?:::|:=|=>|=|:| )[ \t]{0,3}["']?([a-z0-9]{64})\b`},
	{keywords: []string{"softlayer.com"}, expression: `(?i)api\.(?:service\.)?softlayer\.com/(?:soap|xmlrpc|rest)/v3(?:\.1)?/([a-z0-9]{64})\b`},
	{keywords: []string{"cloudant", "clou_", "clou-", "cl_", "cl-"}, expression: `(?i)(?:cloudant|\bclou?[_-])[\w .-]{0,30}(?:key|pass|pwd|pw|token|secret)[\w.-]{0,20}["']?[ \t]{0,3}(?:::|:=|=>|=|:| )[ \t]{0,3}["']?([a-f0-9]{64}|[a-z]{24})\b`},
	{keywords: []string{"k_"}, expression: `\bmailsac\W.{0,20}\b(k_[a-zA-Z0-9]{36,})\b`},
}

// isTwilio reports whether what follows AC or SK is an account or a key of Twilio: in
// hexadecimal, or drawn by chance.
func isTwilio(value string) bool { return hexadecimal.MatchString(value) || isTokenLike(value) }

// vendorTokens are keys of vendors of models and of what is built around them.
var vendorTokens = []token{
	{keywords: []string{"sk-ant-"}, expression: `\bsk-ant-[a-z]{2,10}\d{2,4}-[a-zA-Z0-9_-]{40,}`},
	{keywords: []string{"t3blbkfj"}, expression: `\bsk-[a-zA-Z0-9_-]{16,}T3BlbkFJ[a-zA-Z0-9_-]{16,}`},
	{keywords: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-"}, expression: `\bsk-(?:proj|svcacct|admin|or-v1)-[a-zA-Z0-9_-]{32,}`},
	{keywords: []string{"sk-"}, expression: `\bsk-([a-zA-Z0-9]{32,64})\b`, accept: isTokenLike}, // OpenAI's first, DeepSeek, Moonshot, Stability and others
	{keywords: []string{"gsk_"}, expression: `\bgsk_[a-zA-Z0-9]{40,60}\b`},
	{keywords: []string{"xai-"}, expression: `\bxai-[a-zA-Z0-9]{70,90}\b`},
	{keywords: []string{"r8_"}, expression: `\br8_[a-zA-Z0-9]{37,50}\b`},
	{keywords: []string{"tvly-"}, expression: `\btvly-(?:dev-|prod-)?[a-zA-Z0-9]{28,40}\b`},
	{keywords: []string{"hf_", "api_org_"}, expression: `\b(?:hf_[a-zA-Z0-9]{30,40}|api_org_[a-zA-Z0-9]{30,40})\b`},
	{keywords: []string{"pplx-"}, expression: `\bpplx-[a-zA-Z0-9]{32,64}\b`},
	{keywords: []string{"fw_"}, expression: `\bfw_([a-zA-Z0-9]{20,40})\b`, accept: isTokenLike},
	{keywords: []string{"lsv2_", "ls__"}, expression: `\b(?:lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}|ls__[a-f0-9]{32})\b`},
	{keywords: []string{"sk-lf-"}, expression: `\bsk-lf-[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12}\b`},
	{keywords: []string{"sk_"}, expression: `\bsk_[a-f0-9]{48}\b`}, // ElevenLabs
	{keywords: []string{"nvapi-"}, expression: `\bnvapi-[a-zA-Z0-9_-]{60,70}(?:\b|$)`},
	{keywords: []string{"pcsk_"}, expression: `\bpcsk_[a-zA-Z0-9]{4,8}_[a-zA-Z0-9]{50,70}\b`},
	{keywords: []string{"csk-"}, expression: `\bcsk-[a-z0-9]{40,60}\b`},
	{keywords: []string{"jina_"}, expression: `\bjina_[a-zA-Z0-9_-]{50,70}(?:\b|$)`},
	{keywords: []string{"esecret_"}, expression: `\besecret_[a-zA-Z0-9]{20,40}\b`},
	{keywords: []string{"fc-", "e2b_"}, expression: `\b(?:fc-[a-f0-9]{32}|e2b_[a-f0-9]{40})\b`},
	{keywords: []string{"pa-"}, expression: `\bpa-[a-zA-Z0-9_-]{43}(?:\b|$)`, accept: isTokenLike},
	{keywords: []string{"llx-", "m0-"}, expression: `\b(?:llx|m0)-([a-zA-Z0-9]{40,52})\b`, accept: isTokenLike}, // LlamaCloud, Mem0
	{keywords: []string{"sk_car_"}, expression: `\bsk_car_[a-zA-Z0-9]{20,40}\b`},
	{keywords: []string{"aq."}, expression: `\bAQ\.(Ab8[a-zA-Z0-9_-]{45,60})(?:\b|$)`, accept: isTokenLike}, // Gemini and Vertex AI
	{keywords: []string{"tgp_v1_"}, expression: `\btgp_v1_[a-zA-Z0-9_-]{40,50}(?:\b|$)`},
	{
		keywords:   []string{"mistral", "cohere", "together", "deepgram", "assemblyai", "wandb", "langfuse", "voyage", "ai21", "fireworks", "perplexity", "groq", "openrouter", "replicate", "huggingface", "anthropic", "openai", "azure_openai"},
		expression: `(?i)(?:mistral|cohere|together|deepgram|assemblyai|wandb|langfuse|voyage|ai21|fireworks|perplexity|groq|openrouter|replicate|huggingface|anthropic|openai)[\w .-]{0,24}["']?[ \t]{0,3}(?:::|:=|=>|=|:| )[ \t]{0,3}["']?([a-zA-Z0-9_-]{30,80})(?:\b|$)`, accept: isTokenLike,
	},
}

// tokenRules returns the rules for tokens.
func tokenRules() ([]leakRule, error) {
	var rules []leakRule
	for _, t := range tokens {
		expression, err := regexp.Compile(t.expression)
		if err != nil {
			return nil, err
		}
		rule, err := newLeakRule(expression, t.keywords)
		if err != nil {
			return nil, err
		}
		rule.sign = t.sign
		rule.judge = func(_ context.Context, text string, piece place, yield func(place) bool) bool {
			for _, found := range rule.probe.FindAllStringSubmatchIndex(text[piece.start:piece.end], -1) {
				at := place{piece.start + found[len(found)-2], piece.start + found[len(found)-1]}
				if t.unless != nil && t.unless(text[max(0, piece.start+found[0]-ownerBytes):at.start]) {
					continue
				}
				if (t.accept == nil || t.accept(text[at.start:at.end])) && !strings.Contains(lineAt(text, piece.start+found[0]), allowed) && !yield(at) {
					return false
				}
			}
			return true
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// lineAt returns the line that a byte of a text is in.
func lineAt(text string, i int) string {
	start := strings.LastIndexByte(text[:i], '\n') + 1
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return text[start : i+n]
	}
	return text[start:]
}
