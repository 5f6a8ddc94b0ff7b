// SPDX-License-Identifier: Apache-2.0

package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/touchstone-otel/touchstone/internal/eval"
)

// tei is a server of Text Embeddings Inference that runs a classifier. Its API:
// https://huggingface.github.io/text-embeddings-inference/
type tei struct {
	server Server
	client *http.Client
	// raw asks for scores before any activation. The server applies a softmax
	// whenever there is more than one label, so sigmoids are computed here.
	raw   bool
	clock Clock
}

// prediction is the body of POST /predict.
type prediction struct {
	Inputs    any  `json:"inputs"` // a text, or a list of two
	Truncate  bool `json:"truncate"`
	RawScores bool `json:"raw_scores"`
}

func (t *tei) predict(ctx context.Context, texts ...string) ([]eval.Label, bool, error) {
	var inputs any = texts
	if len(texts) == 1 {
		inputs = texts[0]
	}
	body, err := json.Marshal(prediction{Inputs: inputs, Truncate: true, RawScores: t.raw})
	if err != nil {
		return nil, false, err
	}
	url := strings.TrimRight(t.server.URL, "/") + "/predict"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, false, ofTransport(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if t.server.Key != "" {
		req.Header.Set("Authorization", "Bearer "+t.server.Key)
	}
	res, err := t.client.Do(req)
	if err != nil {
		return nil, false, ofTransport(err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	switch {
	case res.StatusCode >= http.StatusMultipleChoices:
		return nil, false, ofStatus(res, t.clock.Now())
	case errors.Is(err, errLongAnswer):
		return nil, false, broken("%w", errLongAnswer)
	case err != nil:
		return nil, false, ofTransport(err)
	}
	labels, err := decodeLabels(answer)
	return labels, t.raw, err
}

type teiLabel struct {
	Label string   `json:"label"`
	Score *float64 `json:"score"`
}

// decodeLabels reads the labels of one text: a list, or a list of such lists
// with one element, as other servers of the same models answer.
func decodeLabels(answer []byte) ([]eval.Label, error) {
	var flat []teiLabel
	if err := json.Unmarshal(answer, &flat); err != nil {
		var nested [][]teiLabel
		if err := json.Unmarshal(answer, &nested); err != nil || len(nested) != 1 {
			return nil, broken("the answer is no list of labels")
		}
		flat = nested[0]
	}
	labels := make([]eval.Label, len(flat))
	for i, l := range flat {
		if l.Score == nil {
			return nil, broken("a label has no score")
		}
		labels[i] = eval.Label{Name: l.Label, Score: *l.Score}
	}
	return labels, nil
}
