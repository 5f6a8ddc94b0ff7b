package duckdb
import ("testing";"fmt";"time";"os";"sort";"strconv"
"github.com/stretchr/testify/require"
)
func TestStalls(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("N"))
	db, err := Open(t.Context(), Config{Dir: t.TempDir(), MinFreeBytes: -1}); require.NoError(t, err)
	src := newRecordSource(time.Duration(n)*300*time.Millisecond, n)
	type st struct { i int; w, c time.Duration }
	var l []st
	for i := 0; i < n; i += 1000 { x := src.batch(1000); c, w := cpuTime(), time.Now(); require.NoError(t, db.Write(t.Context(), x)); l = append(l, st{i, time.Since(w), cpuTime()-c}) }
	sort.Slice(l, func(i, j int) bool { return l[i].w > l[j].w })
	for _, x := range l[:12] { fmt.Println(x.i, x.w, x.c) }
	fmt.Println("peak", peakMemory()>>20)
	require.NoError(t, db.Close())
}
