// SPDX-License-Identifier: Apache-2.0

package spans

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/touchstone-otel/touchstone/extension/apiextension/internal/rest"
	"github.com/touchstone-otel/touchstone/internal/query"
	"github.com/touchstone-otel/touchstone/internal/tenant"
)

// search answers one page of the environment's spans.
func (a *API) search(r *http.Request, env tenant.Environment) (rest.Response, error) {
	values, err := rest.Query(r)
	if err != nil {
		return rest.Response{}, err
	}
	q, cursor, err := parseQuery(values)
	if err != nil {
		return rest.Response{}, err
	}
	page, next, err := a.page(r.Context(), env, q, cursor)
	if err != nil {
		return rest.Response{}, err
	}
	return rest.OK(json.RawMessage(appendPage(nil, &page, next))), nil
}

// page returns a page of spans, and the cursor of the next one, "" when there is
// none.
func (a *API) page(ctx context.Context, env tenant.Environment, q query.Query, cursor string) (query.Page, string, error) {
	if cursor != "" {
		after, err := a.Cursors.Open(string(env.ID), &q, cursor)
		if err != nil {
			return query.Page{}, "", err
		}
		q.After = &after
	}
	q.InParts = true
	page, err := a.Records.Search(ctx, env, q)
	if err != nil || page.Next == nil {
		return page, "", err
	}
	return page, a.Cursors.Seal(string(env.ID), &q, *page.Next), nil
}

// appendPage appends a page as it is answered, with the cursor of the next one,
// "" when there is none. It is written by hand, as its spans are: the standard
// encoder would allocate for each of the hundred texts of a span.
func appendPage(b []byte, page *query.Page, next string) []byte {
	b = append(b, `{"spans":{"data":[`...)
	for i := range page.Spans {
		if i > 0 {
			b = append(b, ',')
		}
		b = page.Spans[i].AppendJSON(b)
	}
	b = append(b, `],"page_size":`...)
	b = strconv.AppendInt(b, int64(len(page.Spans)), 10)
	b = append(b, `,"total_results":`...)
	b = strconv.AppendInt(b, page.Total, 10)
	b = append(b, `,"next_cursor":"`...)
	b = append(append(b, next...), '"') // a cursor needs no quoting
	if page.Partial {
		b = append(b, `,"partial":true`...)
	}
	if searched := searchedTo(page); searched != 0 {
		b = append(b, `,"searched_to":`...)
		b = strconv.AppendInt(b, searched, 10)
	}
	return append(b, `}}`...)
}

// searchedTo returns the start up to which a search looked that ended before it had its
// page, Unix milliseconds; 0 for any other.
func searchedTo(page *query.Page) int64 { return page.SearchedTo / int64(time.Millisecond) }
