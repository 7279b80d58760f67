package property

// CompileAny is Compile, also for what nothing or everything satisfies.
var CompileAny = compile
