package trace

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A branch may take its other outcome only if what that leads to has no effect.
func TestMayFlip(t *testing.T) {
	taken, notTaken := &Event{Kind: Branch, Val: 1}, &Event{Kind: Branch}
	for _, test := range []struct {
		scope                  Scope
		wantTaken, wantSkipped bool
	}{
		{Scope{}, false, false},
		{Scope{HarmlessIfTrue: true}, false, true},
		{Scope{HarmlessIfFalse: true}, true, false},
		{Scope{HarmlessIfTrue: true, HarmlessIfFalse: true}, true, true},
	} {
		assert.Equal(t, test.wantTaken, test.scope.MayFlip(taken), "%+v", test.scope)
		assert.Equal(t, test.wantSkipped, test.scope.MayFlip(notTaken), "%+v", test.scope)
	}
}

// A scope ends at sites after its last line, in other functions unless it has calls, and at the branch itself.
func TestScopeEndsAt(t *testing.T) {
	branch := &Site{ID: 1, Func: "f", File: "a.go", Line: 3, Scope: Scope{LastLine: 5}}
	at := func(function string, line int) *Site { return &Site{ID: 2, Func: function, File: "a.go", Line: line} }
	assert.False(t, branch.ScopeEndsAt(&Site{}), "an unknown site")
	assert.True(t, branch.ScopeEndsAt(branch))
	assert.False(t, branch.ScopeEndsAt(at("f", 5)))
	assert.True(t, branch.ScopeEndsAt(at("f", 6)))
	assert.True(t, branch.ScopeEndsAt(at("f", 2)))
	assert.True(t, branch.ScopeEndsAt(at("g", 4)))
	branch.Scope.HasCalls = true
	assert.False(t, branch.ScopeEndsAt(at("g", 4)))
}
