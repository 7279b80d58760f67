package facts

import "github.com/gopredict/gopredict/recorder/trace"

// tokenTable is the posts of tokens.
type tokenTable struct{ posts grouped } // by token

// Posts returns the posts of the token of event i, an await, that come before it. The caller
// must not change them. For an await of token 0, which comes after all events before it,
// there are none.
func (f *Facts) Posts(i int) []int32 {
	e := &f.t.Events[i]
	if e.Kind != trace.Await || e.Obj == 0 {
		return nil
	}
	return f.posts.of(f.objects[trace.ClassToken].Number(e.Obj))[:f.rowOf(i)]
}

// addTokenEvent takes up a post or an await. The row of both is how many posts came before.
func (b *builder) addTokenEvent(i int32, e *trace.Event) int32 {
	if e.Obj == 0 {
		return None
	}
	n := b.objects[trace.ClassToken].number(e.Obj)
	if int(n) == len(b.posted) {
		b.posted = append(b.posted, 0)
	}
	before := b.posted[n]
	if e.Kind == trace.Post {
		b.posted[n]++
		b.postEvents = append(b.postEvents, member{n, i})
	}
	return before
}
