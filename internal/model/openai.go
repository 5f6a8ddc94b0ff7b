// SPDX-License-Identifier: Apache-2.0

package model

import (
	"context"
	"errors"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// Server is where an OpenAI-compatible server is and how it is called.
type Server struct {
	// URL is the address up to and including the version, such as
	// https://api.openai.com/v1.
	URL string
	// Key is sent as the bearer credential; "" sends none.
	Key string
	// Client sends the requests; nil is a plain one.
	Client *http.Client
}

// options are the options of every service. Services are made from these alone: a
// whole openai.Client would also take keys and addresses from the environment.
// Retrying is the guard's work. Of an answer at most
// so many bytes are read.
func (s Server) options(most int64) []option.RequestOption {
	options := []option.RequestOption{
		option.WithBaseURL(s.URL),
		option.WithHTTPClient(bounded(s.Client, most)),
		option.WithMaxRetries(0),
	}
	if s.Key != "" {
		options = append(options, option.WithAPIKey(s.Key))
	}
	return options
}

// exchange makes one request of an OpenAI service and turns what goes wrong
// into a failure.
func exchange[A any](
	ctx context.Context, clock Clock, request func(ctx context.Context, into option.RequestOption) (*A, error),
) (*A, error) {
	var res *http.Response
	answer, err := request(ctx, option.WithResponseInto(&res))
	var refused *openai.Error
	switch {
	case err == nil && answer != nil:
		return answer, nil
	case res == nil:
		return nil, ofTransport(err)
	case res.StatusCode >= http.StatusMultipleChoices:
		f := ofStatus(res, clock.Now())
		if errors.As(err, &refused) {
			f.says(refused.Code, refused.Param)
		}
		return nil, f
	case ctx.Err() != nil:
		return nil, ofTransport(ctx.Err())
	case errors.Is(err, errLongAnswer):
		return nil, broken("%w", errLongAnswer)
	default:
		// What the library says may quote the answer.
		return nil, broken("the answer cannot be decoded")
	}
}
