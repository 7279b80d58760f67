package z3

// An api holds the functions of Z3's C API that are used, each with its name there.
// Handles are pointers into the library. Every function that has a context forgets
// the error of the one before.
type api struct {
	GetVersion            func(major, minor, build, revision *uint32)                     `c:"Z3_get_version"`
	GetErrorCode          func(ctx uintptr) uint32                                        `c:"Z3_get_error_code"`
	GetErrorMsg           func(ctx uintptr, code uint32) string                           `c:"Z3_get_error_msg"`
	SetErrorHandler       func(ctx, handler uintptr)                                      `c:"Z3_set_error_handler"`
	GetEstimatedAllocSize func() uint64                                                   `c:"Z3_get_estimated_alloc_size"`
	MkConfig              func() uintptr                                                  `c:"Z3_mk_config"`
	DelConfig             func(config uintptr)                                            `c:"Z3_del_config"`
	MkContext             func(config uintptr) uintptr                                    `c:"Z3_mk_context"`
	DelContext            func(ctx uintptr)                                               `c:"Z3_del_context"`
	Interrupt             func(ctx uintptr)                                               `c:"Z3_interrupt"`
	EvalSMTLIB2String     func(ctx uintptr, text string) string                           `c:"Z3_eval_smtlib2_string"`
	MkStringSymbol        func(ctx uintptr, name string) uintptr                          `c:"Z3_mk_string_symbol"`
	MkBoolSort            func(ctx uintptr) uintptr                                       `c:"Z3_mk_bool_sort"`
	MkIntSort             func(ctx uintptr) uintptr                                       `c:"Z3_mk_int_sort"`
	MkConst               func(ctx, symbol, sort uintptr) uintptr                         `c:"Z3_mk_const"`
	MkTrue                func(ctx uintptr) uintptr                                       `c:"Z3_mk_true"`
	MkInt64               func(ctx uintptr, v int64, sort uintptr) uintptr                `c:"Z3_mk_int64"`
	MkNot                 func(ctx, a uintptr) uintptr                                    `c:"Z3_mk_not"`
	MkAnd                 func(ctx uintptr, n uint32, args *uintptr) uintptr              `c:"Z3_mk_and"`
	MkIff                 func(ctx, a, b uintptr) uintptr                                 `c:"Z3_mk_iff"`
	MkImplies             func(ctx, a, b uintptr) uintptr                                 `c:"Z3_mk_implies"`
	MkEq                  func(ctx, a, b uintptr) uintptr                                 `c:"Z3_mk_eq"`
	MkAdd                 func(ctx uintptr, n uint32, args *uintptr) uintptr              `c:"Z3_mk_add"`
	MkMul                 func(ctx uintptr, n uint32, args *uintptr) uintptr              `c:"Z3_mk_mul"`
	MkLe                  func(ctx, a, b uintptr) uintptr                                 `c:"Z3_mk_le"`
	ASTToString           func(ctx, a uintptr) string                                     `c:"Z3_ast_to_string"`
	GetBoolValue          func(ctx, a uintptr) int32                                      `c:"Z3_get_bool_value"`
	GetNumeralInt64       func(ctx, a uintptr, n *int64) bool                             `c:"Z3_get_numeral_int64"`
	MkSolver              func(ctx uintptr) uintptr                                       `c:"Z3_mk_solver"`
	SolverIncRef          func(ctx, solver uintptr)                                       `c:"Z3_solver_inc_ref"`
	SolverDecRef          func(ctx, solver uintptr)                                       `c:"Z3_solver_dec_ref"`
	SolverAssert          func(ctx, solver, a uintptr)                                    `c:"Z3_solver_assert"`
	SolverCheck           func(ctx, solver uintptr, n uint32, args *uintptr) int32        `c:"Z3_solver_check_assumptions"`
	SolverGetModel        func(ctx, solver uintptr) uintptr                               `c:"Z3_solver_get_model"`
	SolverGetUnsatCore    func(ctx, solver uintptr) uintptr                               `c:"Z3_solver_get_unsat_core"`
	SolverReasonUnknown   func(ctx, solver uintptr) string                                `c:"Z3_solver_get_reason_unknown"`
	SolverSetParams       func(ctx, solver, params uintptr)                               `c:"Z3_solver_set_params"`
	SolverGetStatistics   func(ctx, solver uintptr) uintptr                               `c:"Z3_solver_get_statistics"`
	StatsIncRef           func(ctx, stats uintptr)                                        `c:"Z3_stats_inc_ref"`
	StatsDecRef           func(ctx, stats uintptr)                                        `c:"Z3_stats_dec_ref"`
	StatsSize             func(ctx, stats uintptr) uint32                                 `c:"Z3_stats_size"`
	StatsGetKey           func(ctx, stats uintptr, i uint32) string                       `c:"Z3_stats_get_key"`
	StatsGetUintValue     func(ctx, stats uintptr, i uint32) uint32                       `c:"Z3_stats_get_uint_value"`
	MkParams              func(ctx uintptr) uintptr                                       `c:"Z3_mk_params"`
	ParamsIncRef          func(ctx, params uintptr)                                       `c:"Z3_params_inc_ref"`
	ParamsDecRef          func(ctx, params uintptr)                                       `c:"Z3_params_dec_ref"`
	ParamsSetUint         func(ctx, params, symbol uintptr, n uint32)                     `c:"Z3_params_set_uint"`
	ModelIncRef           func(ctx, model uintptr)                                        `c:"Z3_model_inc_ref"`
	ModelDecRef           func(ctx, model uintptr)                                        `c:"Z3_model_dec_ref"`
	ModelEval             func(ctx, model, a uintptr, complete bool, value *uintptr) bool `c:"Z3_model_eval"`
	ASTVectorIncRef       func(ctx, vector uintptr)                                       `c:"Z3_ast_vector_inc_ref"`
	ASTVectorDecRef       func(ctx, vector uintptr)                                       `c:"Z3_ast_vector_dec_ref"`
	ASTVectorSize         func(ctx, vector uintptr) uint32                                `c:"Z3_ast_vector_size"`
	ASTVectorGet          func(ctx, vector uintptr, i uint32) uintptr                     `c:"Z3_ast_vector_get"`
}
