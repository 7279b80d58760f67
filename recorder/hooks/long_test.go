//go:build long

package hooks

// Its standard library takes half a minute to build.
func init() { toolchains = append(toolchains, "go1.27.4") }
