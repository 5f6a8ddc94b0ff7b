// SPDX-License-Identifier: Apache-2.0

package evaluators

import (
	"context"

	"github.com/touchstone-otel/touchstone/internal/eval"
	"github.com/touchstone-otel/touchstone/internal/evaluators/secrets"
)

type secretsDetectorInput struct {
	Text string `json:"text" doc:"The text that is searched." need:"required" span:"output"`
}

type secretsDetectorOutput struct {
	Found bool `json:"has_secret" doc:"Whether the text holds what looks like a credential."`
	eval.Judged
}

var _ = define(eval.Definition[secretsDetectorInput, eval.None, secretsDetectorOutput]{
	Slug: "secrets-detector",
	Doc: "Finds credentials. These are tokens of some two hundred services by the rules of gitleaks, and keys of vendors of models (OpenAI, Anthropic, Groq, xAI, " +
		"Hugging Face, Mistral, Cohere and others). Some forty other services are known, this one among them (`tl_`). Others are cloud access keys, Authorization headers, netrc and private keys. " +
		"Passwords are found in addresses, queries, connection strings, calls that log in, SQL, and the command lines of some thirty programs. They are found in settings, XML and Markdown tables under names such as password, in several languages, " +
		"and in a sentence (`my password is …`). Recovery phrases of wallets, random values behind a word such as token, password hashes, and quoted strings of high entropy count, too. It sees through the disguises that pii-detector knows. " +
		"Placeholders, sample passwords (`user:password@example.com`), names of secrets (`secret_name`), identifiers, digests such as those of lock files, and lines marked `pragma: allowlist secret` do not count. " +
		"The search is bounded: a long text that looks like secrets throughout, without a real one among the places read, is refused.",
	Run: func(ctx context.Context, in secretsDetectorInput, _ eval.None) (secretsDetectorOutput, error) {
		var found pieces
		err := secrets.Find(ctx, in.Text, func(start, end int) bool {
			return found.add(eval.Evidence{Input: "text", Kind: "SECRET", Start: start, End: end})
		})
		if len(found) > 0 { // whatever else could not be searched
			return secretsDetectorOutput{true, reasoned("The text contains a credential.", found.inOrder()...)}, ctx.Err()
		}
		return secretsDetectorOutput{Judged: reasoned("The text contains no credential.")}, err
	},
	Places: func(eval.None) (eval.Finder, error) {
		return func(ctx context.Context, text string) (places []eval.Place, err error) {
			err = secrets.Find(ctx, text, func(start, end int) bool {
				places = append(places, eval.Place{Kind: "SECRET", Start: start, End: end})
				return true
			})
			return places, err
		}, nil
	},
	Examples: []eval.Example{
		{About: "a password in a program", Input: `{"text": "db_password = \"tr0ub4dor&3\""}`, Want: `{"has_secret": true}`},
		{About: "a password in an address", Input: `{"text": "postgres://app:Sw0rdf1sh@db.internal/main"}`, Want: `{"has_secret": true}`},
		{About: "a placeholder", Input: `{"text": "password = \"${DB_PASSWORD}\""}`, Want: `{"has_secret": false}`},
		{About: "a disguise", Input: `{"text": "password = &quot;tr0ub4dor&amp;3&quot;"}`, Want: `{"has_secret": true}`},
		{About: "a password in a sentence", Input: `{"text": "The password for the router is Mango7Tree."}`, Want: `{"has_secret": true}`},
		{About: "talk about passwords", Input: `{"text": "Never share your password with anybody."}`, Want: `{"has_secret": false}`},
	},
})
