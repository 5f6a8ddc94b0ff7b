// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
)

func (a *app) evaluate() *cobra.Command {
	var inputs []string
	var config string
	cmd := &cobra.Command{
		Use:   "evaluate EVALUATOR",
		Short: "Run an evaluator on texts of your own; nothing is stored",
		Example: `  touchstone evaluate word-count --input text='how many words are these'
  cat answer.txt | touchstone evaluate pii-detector --input text=@-
  touchstone evaluate regex-validator --input text=abc --config '{"regex":"b"}'`,
		Args: arguments("EVALUATOR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			given, err := readInputs(inputs, cmd.InOrStdin())
			if err != nil {
				return err
			}
			body := map[string]any{"input": given}
			if config != "" {
				if !json.Valid([]byte(config)) {
					return usage("--config must be JSON")
				}
				body["config"] = json.RawMessage(config)
			}
			answered, err := a.client.ask(cmd.Context(), http.MethodPost, "/v2/evaluators/"+url.PathEscape(args[0])+"/execute", nil, body)
			if err != nil {
				return err
			}
			if a.output == "json" {
				return a.json(answered.body)
			}
			var outputs map[string]any
			if err := json.Unmarshal(answered.body, &outputs); err != nil {
				return &exitError{ExitFailed, fmt.Errorf("the answer cannot be read: %w", err)}
			}
			rows := flattened(outputs)
			if backend := answered.header.Get("X-Evaluator-Backend"); backend != "" {
				rows = append(rows, []string{"(evaluated by)", backend})
			}
			return a.rows([]string{"output", "value"}, rows)
		},
	}
	cmd.Flags().StringArrayVarP(&inputs, "input", "i", nil, "an input as name=text; name=@- reads the text from standard input")
	cmd.Flags().StringVar(&config, "config", "", "the evaluator's configuration, JSON")
	return cmd
}

// maxInput bounds what is read from standard input, in bytes.
const maxInput = 16 << 20

// readInputs reads "name=text" pairs.
func readInputs(pairs []string, in io.Reader) (map[string]string, error) {
	given := make(map[string]string, len(pairs))
	for _, pair := range pairs {
		name, text, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, usage("--input must be name=text")
		}
		if text == "@-" {
			b, err := io.ReadAll(io.LimitReader(in, maxInput+1))
			if err != nil {
				return nil, usage("standard input cannot be read: %w", err)
			}
			if len(b) > maxInput {
				return nil, usage("standard input is over %d MiB", maxInput>>20)
			}
			text = string(b)
		}
		given[name] = text
	}
	return given, nil
}
