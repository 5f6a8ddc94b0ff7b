// SPDX-License-Identifier: Apache-2.0

package secrets

// serviceTokens are keys that tell by their beginning what they are for.
var serviceTokens = []token{
	{keywords: []string{"tl_"}, expression: `\btl_([a-zA-Z0-9_-]{43})(?:[^a-zA-Z0-9_-]|$)`, accept: isRandomWord}, // our own
	{keywords: []string{"whsec_"}, expression: `\bwhsec_([a-zA-Z0-9+/=]{24,100})`, accept: isRandomWord},          // Stripe, Clerk and others that sign by https://www.standardwebhooks.com
	{keywords: []string{"figd_", "figo_"}, expression: `\bfig[do]_([a-zA-Z0-9_-]{38,50})(?:[^a-zA-Z0-9_-]|$)`, accept: isRandomWord},
	{keywords: []string{"sbp_", "sb_secret_"}, expression: `\b(?:sbp_(?:v\d_)?[a-f0-9]{40}|sb_secret_[a-zA-Z0-9_-]{22,40})(?:[^a-zA-Z0-9_-]|$)`}, // Supabase
	{keywords: []string{"sntrys_", "sntryu_"}, expression: `\b(?:sntrys_eyJ[a-zA-Z0-9+/=_-]{40,400}|sntryu_[a-f0-9]{64})`},
	{keywords: []string{"ingest"}, expression: `https://([a-f0-9]{32}:[a-f0-9]{32})@[\w.-]{0,20}ingest\.(?:\w\w\.)?sentry\.io/`},
	{keywords: []string{"rnd_"}, expression: `\brnd_([a-zA-Z0-9]{24,48})\b`, accept: isRandomWord}, // Render
	{keywords: []string{"vercel_blob_rw_"}, expression: `\bvercel_blob_rw_([a-zA-Z0-9]{12,20}_[a-zA-Z0-9]{24,40})\b`, accept: isRandomWord},
	{keywords: []string{"vcp_", "vck_", "vca_", "vci_", "vcr_"}, expression: `\bvc[pkair]_([a-zA-Z0-9]{24,80})\b`, accept: isRandomWord},
	{keywords: []string{"sk-hc"}, expression: `\bsk-hcs?-v1-[a-f0-9]{64}\b`},                                                    // Hack Club
	{keywords: []string{"re_"}, expression: `\bre_([a-zA-Z0-9]{8}_[a-zA-Z0-9]{22,26})\b`, accept: isRandomWord},                 // Resend
	{keywords: []string{"napi_"}, expression: `\bnapi_([a-z0-9]{50,80})\b`, accept: isRandomWord},                               // Neon
	{keywords: []string{"nfp_", "nfc_", "nfo_", "nfu_"}, expression: `\bnf[pcou]_([a-zA-Z0-9]{32,44})\b`, accept: isRandomWord}, // Netlify
	{keywords: []string{"bkua_", "bkat_", "bkct_"}, expression: `\bbk(?:ua|at|ct)_[a-z0-9]{40}\b`},                              // Buildkite
	{keywords: []string{"ccipat_", "cciprj_"}, expression: `\bCCI(?:PAT|PRJ)_[a-zA-Z0-9]{20,30}_[a-f0-9]{40}\b`},
	{keywords: []string{"apify_api_"}, expression: `\bapify_api_([a-zA-Z0-9]{30,50})\b`, accept: isRandomWord},
	{keywords: []string{"tskey-"}, expression: `\btskey-[a-z]{2,10}-(k?[a-zA-Z0-9]{8,24}-[a-zA-Z0-9]{20,50})\b`, accept: isRandomWord},                    // Tailscale
	{keywords: []string{"rpa_"}, expression: `\brpa_([a-zA-Z0-9]{40,50})\b`, accept: isRandomWord},                                                        // RunPod
	{keywords: []string{"hcaik_", "hcaic_", "hcxik_", "hcxlk_", "hcbik_"}, expression: `\bhc[abx](?:ik|ic|lk)_([a-z0-9]{50,70})\b`, accept: isRandomWord}, // Honeycomb
	{keywords: []string{"atta"}, expression: `\bATTA[a-f0-9]{64,72}\b`},                                                                                   // Trello
	{keywords: []string{"atatt3x", "atctt3x", "atbb", "bbdc-"}, expression: `\b(?:AT[AC]TT3x[a-zA-Z0-9_=-]{60,240}|ATBB[a-zA-Z0-9]{24,40}|BBDC-[a-zA-Z0-9+/@_-]{40,50})(?:[^a-zA-Z0-9_=-]|$)`, accept: isRandomWord},
	{keywords: []string{"avns_"}, expression: `\bAVNS_([a-zA-Z0-9_-]{16,24})(?:[^a-zA-Z0-9_-]|$)`, accept: isRandomWord},    // Aiven, databases of DigitalOcean
	{keywords: []string{"pat-na", "pat-eu"}, expression: `\bpat-(?:na|eu)\d-[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12}\b`}, // HubSpot
	{keywords: []string{"wandb_v1_"}, expression: `\bwandb_v1_[a-zA-Z0-9_]{60,90}\b`, accept: isRandomWord},
	{keywords: []string{"pylf_v"}, expression: `\bpylf_v\d_(?:[a-z]{2,6}_)?([a-zA-Z0-9]{40,60})\b`, accept: isRandomWord},        // Logfire
	{keywords: []string{"sdk-", "mob-", "api-"}, expression: `\b(?:sdk|api)-[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12}\b`},      // LaunchDarkly
	{keywords: []string{"mdb_sa_sk_"}, expression: `\bmdb_sa_sk_[a-zA-Z0-9_-]{36,44}(?:[^a-zA-Z0-9_-]|$)`, accept: isRandomWord}, // Atlas
	{keywords: []string{"tfp_"}, expression: `\btfp_[a-zA-Z0-9_-]{40,64}(?:[^a-zA-Z0-9_-]|$)`, accept: isRandomWord},             // Typeform
	{keywords: []string{"eaa"}, expression: `\bEAA[a-zA-Z]{1,3}([a-zA-Z0-9]{50,300})\b`, accept: isTokenLike},                    // Meta
	{keywords: []string{"access_token$"}, expression: `\baccess_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}\b`},    // PayPal, Braintree
	{keywords: []string{"akid"}, expression: `\bAKID([a-zA-Z0-9]{32})\b`, accept: isRandomWord},                                  // Tencent
	{keywords: []string{"sqp_", "squ_", "sqa_"}, expression: `\bsq[pua]_[a-f0-9]{40}\b`},                                         // SonarQube
	{keywords: []string{"key-"}, expression: `\bkey-([a-f0-9]{32})\b`, accept: isRandomWord},                                     // Mailgun
	{keywords: []string{"glc_"}, expression: `\bglc_eyJ[a-zA-Z0-9+/=_-]{40,400}`},                                                // Grafana Cloud
	{keywords: []string{"hrku-"}, expression: `\bHRKU-([a-zA-Z0-9_-]{30,80})(?:[^a-zA-Z0-9_-]|$)`, accept: isRandomWord},         // Heroku
	{keywords: []string{"helicone"}, expression: `\bsk-helicone-[a-z0-9-]{20,60}`, accept: isRandomWord},
	{keywords: []string{"bb_live_", "bb_test_"}, expression: `\bbb_(?:live|test)_([a-zA-Z0-9_-]{24,44})(?:[^a-zA-Z0-9_-]|$)`, accept: isRandomWord}, // Browserbase
	{keywords: []string{"ctx7sk-"}, expression: `\bctx7sk-[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12}\b`},
	{keywords: []string{"fm1_", "fm2_", "fo1_"}, expression: `\b(?:fm[12]_[a-zA-Z0-9+/=_-]{60,}|fo1_[a-zA-Z0-9_-]{40,})`, accept: isRandomWord},    // Fly
	{keywords: []string{"cfat_", "cfut_", "cfk_"}, expression: `\bcf(?:at|ut|k)_([a-zA-Z0-9_-]{36,60})(?:[^a-zA-Z0-9_-]|$)`, accept: isRandomWord}, // Cloudflare
	{keywords: []string{"aizasy"}, expression: `\bAIzaSy([a-zA-Z0-9_-]{33})(?:[^a-zA-Z0-9_-]|$)`, accept: isRandomWord},
	{keywords: []string{"1/1"}, expression: `\b[12]/(1\d{14,16}(?:/\d{16})?:[a-f0-9]{32})\b`},                           // Asana
	{keywords: []string{"1000."}, expression: `\b1000\.([a-f0-9]{32}\.[a-f0-9]{32})\b`},                                 // Zoho
	{keywords: []string{"xai-"}, expression: `\bxai-([a-zA-Z0-9_]{70,90})\b`, accept: isRandomWord},                     // xAI
	{keywords: []string{"bbff-", "bbus-"}, expression: `\bBB(?:FF|US)-([a-zA-Z0-9]{30,40})\b`, accept: isRandomWord},    // Ubidots
	{keywords: []string{"tkn.v1_"}, expression: `\btkn\.v1_([a-zA-Z0-9+/=_-]{60,120})`, accept: isRandomWord},           // Teamwork
	{keywords: []string{"ezak", "eztk"}, expression: `\bEZ[AT]K([a-f0-9]{40,64})\b`, accept: isRandomWord},              // EasyPost
	{keywords: []string{"1//0"}, expression: `\b1//0([a-zA-Z0-9_-]{80,120})(?:[^a-zA-Z0-9_-]|$)`, accept: isRandomWord}, // refresh tokens of Google
	{keywords: []string{"eaaa"}, expression: `\b(EAAAE[a-zA-Z0-9_-]{56,64})(?:[^a-zA-Z0-9_-]|$)`, accept: isRandomWord}, // Square
	{keywords: []string{"00d"}, expression: `\b00D[a-zA-Z0-9]{12,15}!([a-zA-Z0-9._]{80,120})`, accept: isRandomWord},    // Salesforce
	{keywords: []string{"tk_us_", "tk_eu_"}, expression: `\btk_(?:us|eu)_([a-zA-Z0-9_-]{36,60})(?:[^a-zA-Z0-9_-]|$)`, accept: isRandomWord},
	{keywords: []string{"sl."}, expression: `\bsl\.(?:u\.)?([a-zA-Z0-9_-]{130,160})(?:[^a-zA-Z0-9_-]|$)`, accept: isRandomWord}, // Dropbox
	{keywords: []string{"pypi-agendgv"}, expression: `\bpypi-AgENdGVzdC5weXBpLm9yZw[a-zA-Z0-9_-]{50,1000}`},                     // the index for tests
	{keywords: []string{"xoxp-", "xoxb-", "xoxa-", "xoxr-", "xoxo-", "xoxs-"}, expression: `(?i)\bxox[abprso]-(?:\d{1,14}-){1,4}([a-z0-9]{6,64})\b`, accept: isMixed},
	{keywords: []string{"sig="}, expression: `[?&;]sig=([a-zA-Z0-9%/+]{43,70}(?:%3D|%3d|=))`, accept: isTokenLike}, // signatures of Azure's storage
	{keywords: []string{"ops_eyj"}, expression: `\bops_eyJ[a-zA-Z0-9+/=_-]{100,}`},
}

// isRandomWord is isTokenLike behind what tells already that it is a key: of letters and
// digits drawn by chance, one in ten keys of 24 has hardly a digit.
func isRandomWord(value string) bool {
	return isMixed(value) && !isPlaceholderToken(value) && entropy(value) >= minTokenEntropy
}
