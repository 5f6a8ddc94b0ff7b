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
}

// tokens are forms of secrets that gitleaks does not know, or only beside the
// name of their service.
var tokens = slices.Concat(cloudTokens, vendorTokens, placedTokens)

// cloudTokens are identifiers of keys to a cloud, tokens of Telegram,
// Mailchimp, Artifactory, Square, IBM and Cloudant, keys to storage at Azure, tokens of Discord
// and others that begin like nothing else, and the beginnings of private keys.
var cloudTokens = []token{
	{[]string{"akia", "asia", "abia", "acca", "a3t"}, `\b(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}\b`, nil},
	{[]string{":aa"}, `\b\d{8,10}:AA[0-9A-Za-z_-]{32,33}(?:\b|$)`, nil},
	{[]string{"telegram", "tgram"}, `(?i)(?:telegram|tgram)\W{1,5}(\d{8,10}:[0-9A-Za-z_-]{35})(?:\b|$)`, nil},
	{[]string{"-us"}, `\b[0-9a-z]{32}-us\d{1,2}(?:\b|$)`, nil},
	{[]string{"akc"}, `\bAKC[a-zA-Z0-9]{10,}(?:\b|$)`, nil},
	{[]string{"sq0"}, `\bsq0(?:atp-[0-9A-Za-z_-]{22}|csp-[0-9A-Za-z_-]{43})(?:\b|$)`, nil},
	{[]string{"accountkey="}, `AccountKey=[a-zA-Z0-9+/=]{88}`, nil},
	{nil, `\b[MNO][a-zA-Z\d_-]{22,27}\.[a-zA-Z\d_-]{6}\.[a-zA-Z\d_-]{27,38}`, nil},
	{[]string{"private key"}, `-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`, nil},
	{[]string{"ls0tls1crudjti"}, `LS0tLS1CRUdJTi[A-Za-z0-9+/]{20,}`, isPrivateKey},
	{[]string{"aio_"}, `\baio_[a-zA-Z0-9]{28}\b`, nil},
	{[]string{"dckr_"}, `\bdckr_(?:pat|oat)_[a-zA-Z0-9_-]{27,32}(?:\b|$)`, nil},
	{[]string{"dp."}, `\bdp\.(?:ct|pt|st|scim|audit|sa|said)\.(?:[a-z0-9_-]{2,35}\.)?[a-zA-Z0-9]{40,44}\b`, nil},
	{[]string{"oy2"}, `\boy2[a-z0-9]{43}\b`, nil},
	{[]string{"cfpat-"}, `\bCFPAT-[a-zA-Z0-9_-]{43,}(?:\b|$)`, nil},
	{[]string{"secret_", "ntn_"}, `\b(?:secret_[a-zA-Z0-9]{43}|ntn_[a-zA-Z0-9]{43,47})\b`, nil},
	{[]string{"nrak-", "nral"}, `\b(?:NRAK-[A-Z0-9]{27}|[a-f0-9]{36}NRAL)\b`, nil},
	{[]string{"live_"}, `\blive_\d{8,10}_[a-zA-Z0-9]{28,30}\b`, nil},
	{[]string{"gl"}, `\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[a-zA-Z0-9_-]{20,}`, nil},
	{[]string{"ap"}, `(?:^|[\s=:"'])(AP[\dA-F][a-zA-Z0-9]{8,})(?:["'\s]|$)`, isMixed},
	{[]string{"cio", "odt_", "alpine_"}, `\b(?:cio[a-zA-Z0-9]{32}|(?:odt|alpine)_[a-zA-Z0-9]{32,40})\b`, nil},
	{[]string{"ssws", "okta"}, `(?i)(?:ssws|okta)[\w .-]{0,30}["']?[ \t:=]{1,4}["']?(00[a-zA-Z0-9_-]{39,40})(?:\b|$)`, nil},
	{[]string{"00"}, `\b00[a-zA-Z0-9]{13}![a-zA-Z0-9._]{90,120}`, nil}, // Salesforce
	{[]string{"hooks.slack.com", "xapp-", "xoxe", "xwfp-"}, `https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_+-]{40,}|\b(?:xapp-\d-|xoxe\.xox[bp]-\d-|xoxe-\d-|xwfp-)[a-zA-Z0-9-]{30,}`, nil},
	{[]string{"ac", "sk"}, `\b(?:AC|SK)[a-f0-9]{32}\b`, nil}, // Twilio
	{[]string{"eyj"}, `\beyJ[a-zA-Z0-9_=-]{14,}\.eyJ[a-zA-Z0-9_=-]{14,}(?:\.[a-zA-Z0-9_.+/=-]*)?`, nil},
	{[]string{"jenkins"}, `(?i)jenkins[\w .-]{0,30}["']?[ \t:=]{1,4}["']?(11[0-9a-f]{32}|[0-9a-f]{32})\b`, nil},
	{[]string{"nrii-", "nraa-", "nrjs-", "nriq-", "nrra-"}, `\bNR(?:II|AA|JS|IQ|RA)-[a-zA-Z0-9_-]{19,42}`, nil},
	{[]string{"gocspx-", "ya29."}, `\b(?:GOCSPX-[a-zA-Z0-9_-]{28}|ya29\.[a-zA-Z0-9_-]{40,})`, nil},
	{[]string{"_authtoken"}, `:_authToken=\s*["']?([^\s"'$<{]{8,})`, isNoPlaceholder},
	{[]string{"pk_"}, `\bpk_\d{6,9}_[A-Z0-9]{28,34}\b`, nil},
	{[]string{"phc_", "phx_"}, `\bph[cx]_[a-zA-Z0-9]{40,50}\b`, nil},
	{[]string{"incomingwebhook"}, `https://[\w.-]{0,60}office\.com/webhook(?:b2)?/[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{30,36}`, nil},
	{[]string{"discord"}, `https://(?:\w{1,10}\.)?discord(?:app)?\.com/api/webhooks/\d{17,20}/[\w-]{60,}`, nil},
	{[]string{"ion_"}, `\bion_[a-zA-Z0-9]{42}\b`, nil},
	// IBM's keys to its cloud, to its object storage and to what was SoftLayer, and keys of Cloudant.
	// https://cloud.ibm.com/docs/account?topic=account-userapikey
	// https://cloud.ibm.com/docs/cloud-object-storage?topic=cloud-object-storage-uhc-hmac-credentials-main
	{[]string{"ibm", "iam"}, `(?i)(?:ibm|\biam)[\w .-]{0,30}(?:key|pass|pwd|token|secret)[\w.-]{0,20}["']?[ \t]{0,3}(?::=|=>|=|:| )[ \t]{0,3}["']?([a-zA-Z0-9_-]{44})(?:["'\s,;]|$)`, isTokenLike},
	{[]string{"secret_access_key", "secret-access-key", "secretaccesskey", "cos_", "cos-"}, `(?i)(?:secret[_-]?access[_-]?key|\bcos[_-])[\w.-]{0,30}["']?[ \t]{0,3}(?::=|=>|=|:| )[ \t]{0,3}["']?([a-f0-9]{48})\b`, nil},
	{[]string{"softlayer", "sl_", "sl-"}, `(?i)(?:softlayer|\bsl[_-])[\w .-]{0,30}(?:key|pass|pwd|token|secret)[\w.-]{0,20}["']?[ \t]{0,3}(?::=|=>|=|:| )[ \t]{0,3}["']?([a-z0-9]{64})\b`, nil},
	{[]string{"softlayer.com"}, `(?i)api\.(?:service\.)?softlayer\.com/(?:soap|xmlrpc|rest)/v3(?:\.1)?/([a-z0-9]{64})\b`, nil},
	{[]string{"cloudant"}, `(?i)cloudant[\w .-]{0,30}(?:key|pass|pwd|token|secret)[\w.-]{0,20}["']?[ \t]{0,3}(?::=|=>|=|:| )[ \t]{0,3}["']?([a-f0-9]{64}|[a-z]{24})\b`, nil},
	{[]string{"k_"}, `\bmailsac\W.{0,20}\b(k_[a-zA-Z0-9]{36,})\b`, nil},
}

// vendorTokens are keys of vendors of models and of what is built around them.
var vendorTokens = []token{
	{[]string{"sk-ant-"}, `\bsk-ant-[a-z]{2,10}\d{2,4}-[a-zA-Z0-9_-]{40,}`, nil},
	{[]string{"t3blbkfj"}, `\bsk-[a-zA-Z0-9_-]{16,}T3BlbkFJ[a-zA-Z0-9_-]{16,}`, nil},
	{[]string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-"}, `\bsk-(?:proj|svcacct|admin|or-v1)-[a-zA-Z0-9_-]{32,}`, nil},
	{[]string{"sk-"}, `\bsk-([a-zA-Z0-9]{32,64})\b`, isTokenLike}, // OpenAI's first, DeepSeek, Moonshot, Stability and others
	{[]string{"gsk_"}, `\bgsk_[a-zA-Z0-9]{40,60}\b`, nil},
	{[]string{"xai-"}, `\bxai-[a-zA-Z0-9]{70,90}\b`, nil},
	{[]string{"r8_"}, `\br8_[a-zA-Z0-9]{37,50}\b`, nil},
	{[]string{"tvly-"}, `\btvly-(?:dev-|prod-)?[a-zA-Z0-9]{28,40}\b`, nil},
	{[]string{"hf_", "api_org_"}, `\b(?:hf_[a-zA-Z0-9]{30,40}|api_org_[a-zA-Z0-9]{30,40})\b`, nil},
	{[]string{"pplx-"}, `\bpplx-[a-zA-Z0-9]{32,64}\b`, nil},
	{[]string{"fw_"}, `\bfw_([a-zA-Z0-9]{20,40})\b`, isTokenLike},
	{[]string{"lsv2_", "ls__"}, `\b(?:lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}|ls__[a-f0-9]{32})\b`, nil},
	{[]string{"sk-lf-"}, `\bsk-lf-[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12}\b`, nil},
	{[]string{"sk_"}, `\bsk_[a-f0-9]{48}\b`, nil}, // ElevenLabs
	{[]string{"nvapi-"}, `\bnvapi-[a-zA-Z0-9_-]{60,70}(?:\b|$)`, nil},
	{[]string{"pcsk_"}, `\bpcsk_[a-zA-Z0-9]{4,8}_[a-zA-Z0-9]{50,70}\b`, nil},
	{[]string{"csk-"}, `\bcsk-[a-z0-9]{40,60}\b`, nil},
	{[]string{"jina_"}, `\bjina_[a-zA-Z0-9_-]{50,70}(?:\b|$)`, nil},
	{[]string{"esecret_"}, `\besecret_[a-zA-Z0-9]{20,40}\b`, nil},
	{[]string{"fc-", "e2b_"}, `\b(?:fc-[a-f0-9]{32}|e2b_[a-f0-9]{40})\b`, nil},
	{[]string{"pa-"}, `\bpa-[a-zA-Z0-9_-]{43}(?:\b|$)`, isTokenLike},
	{[]string{"tgp_v1_"}, `\btgp_v1_[a-zA-Z0-9_-]{40,50}(?:\b|$)`, nil},
	{
		[]string{"mistral", "cohere", "together", "deepgram", "assemblyai", "wandb", "langfuse", "voyage", "ai21", "fireworks", "perplexity", "groq", "openrouter", "replicate", "huggingface", "anthropic", "openai", "azure_openai"},
		`(?i)(?:mistral|cohere|together|deepgram|assemblyai|wandb|langfuse|voyage|ai21|fireworks|perplexity|groq|openrouter|replicate|huggingface|anthropic|openai)[\w .-]{0,24}["']?[ \t]{0,3}(?::=|=>|=|:| )[ \t]{0,3}["']?([a-zA-Z0-9_-]{30,80})(?:\b|$)`, isTokenLike,
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
		rule.judge = func(_ context.Context, text string, piece place, yield func(place) bool) bool {
			for _, found := range rule.probe.FindAllStringSubmatchIndex(text[piece.start:piece.end], -1) {
				at := place{piece.start + found[len(found)-2], piece.start + found[len(found)-1]}
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
