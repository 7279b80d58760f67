//go:build (linux || darwin) && (amd64 || arm64) && !noz3

package solver

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// z3Names are the files that the dynamic linker is asked for, in this order.
var z3Names = map[string][]string{
	"linux":  {"libz3.so", "libz3.so.4"},
	"darwin": {"libz3.dylib", "/opt/homebrew/lib/libz3.dylib", "/usr/local/lib/libz3.dylib"},
}

// A z3API holds the functions of Z3's C API that are used, under their names
// there without the prefix. Handles are pointers into the library. A context
// made with mkContext keeps its terms until it is deleted; solvers, models,
// parameters and vectors are counted.
type z3API struct {
	mkConfig               func() uintptr
	delConfig              func(config uintptr)
	mkContext              func(config uintptr) uintptr
	delContext             func(ctx uintptr)
	interrupt              func(ctx uintptr)
	setErrorHandler        func(ctx, handler uintptr)
	getErrorCode           func(ctx uintptr) uint32
	getErrorMsg            func(ctx uintptr, code uint32) string
	getEstimatedAllocSize  func() uint64
	mkStringSymbol         func(ctx uintptr, name string) uintptr
	mkBoolSort             func(ctx uintptr) uintptr
	mkIntSort              func(ctx uintptr) uintptr
	mkConst                func(ctx, symbol, sort uintptr) uintptr
	mkTrue                 func(ctx uintptr) uintptr
	mkNot                  func(ctx, a uintptr) uintptr
	mkAnd                  func(ctx uintptr, n uint32, args *uintptr) uintptr
	mkIff                  func(ctx, a, b uintptr) uintptr
	mkImplies              func(ctx, a, b uintptr) uintptr
	mkEq                   func(ctx, a, b uintptr) uintptr
	mkLe                   func(ctx, a, b uintptr) uintptr
	mkAdd                  func(ctx uintptr, n uint32, args *uintptr) uintptr
	mkMul                  func(ctx uintptr, n uint32, args *uintptr) uintptr
	mkInt64                func(ctx uintptr, v int64, sort uintptr) uintptr
	mkSolver               func(ctx uintptr) uintptr
	solverIncRef           func(ctx, solver uintptr)
	solverDecRef           func(ctx, solver uintptr)
	solverPush             func(ctx, solver uintptr)
	solverPop              func(ctx, solver uintptr, n uint32)
	solverAssert           func(ctx, solver, a uintptr)
	solverCheckAssumptions func(ctx, solver uintptr, n uint32, assumptions *uintptr) int32
	solverGetModel         func(ctx, solver uintptr) uintptr
	solverGetUnsatCore     func(ctx, solver uintptr) uintptr
	solverGetReasonUnknown func(ctx, solver uintptr) string
	solverSetParams        func(ctx, solver, params uintptr)
	solverGetStatistics    func(ctx, solver uintptr) uintptr
	statsIncRef            func(ctx, stats uintptr)
	statsDecRef            func(ctx, stats uintptr)
	statsSize              func(ctx, stats uintptr) uint32
	statsGetKey            func(ctx, stats uintptr, i uint32) string
	statsGetUintValue      func(ctx, stats uintptr, i uint32) uint32
	modelIncRef            func(ctx, model uintptr)
	modelDecRef            func(ctx, model uintptr)
	modelEval              func(ctx, model, a uintptr, complete bool, value *uintptr) bool
	getBoolValue           func(ctx, a uintptr) int32
	getNumeralInt64        func(ctx, a uintptr, n *int64) bool
	mkParams               func(ctx uintptr) uintptr
	paramsIncRef           func(ctx, params uintptr)
	paramsDecRef           func(ctx, params uintptr)
	paramsSetUint          func(ctx, params, symbol uintptr, n uint32)
	astVectorIncRef        func(ctx, vector uintptr)
	astVectorDecRef        func(ctx, vector uintptr)
	astVectorSize          func(ctx, vector uintptr) uint32
	astVectorGet           func(ctx, vector uintptr, i uint32) uintptr
	parseSmtlib2String     func(ctx uintptr, text string, nSorts uint32, sortNames, sorts unsafe.Pointer, nDecls uint32, declNames, decls unsafe.Pointer) uintptr
}

// functions pairs each name of the C API with the field that it goes to.
func (z *z3API) functions() map[string]any {
	return map[string]any{
		"Z3_mk_config": &z.mkConfig, "Z3_del_config": &z.delConfig,
		"Z3_mk_context": &z.mkContext, "Z3_del_context": &z.delContext,
		"Z3_interrupt": &z.interrupt, "Z3_set_error_handler": &z.setErrorHandler,
		"Z3_get_error_code": &z.getErrorCode, "Z3_get_error_msg": &z.getErrorMsg,
		"Z3_get_estimated_alloc_size": &z.getEstimatedAllocSize,
		"Z3_mk_string_symbol":         &z.mkStringSymbol,
		"Z3_mk_bool_sort":             &z.mkBoolSort, "Z3_mk_int_sort": &z.mkIntSort,
		"Z3_mk_const": &z.mkConst, "Z3_mk_true": &z.mkTrue, "Z3_mk_not": &z.mkNot,
		"Z3_mk_and": &z.mkAnd, "Z3_mk_iff": &z.mkIff, "Z3_mk_implies": &z.mkImplies,
		"Z3_mk_eq": &z.mkEq, "Z3_mk_le": &z.mkLe, "Z3_mk_add": &z.mkAdd,
		"Z3_mk_mul": &z.mkMul, "Z3_mk_int64": &z.mkInt64,
		"Z3_mk_solver": &z.mkSolver, "Z3_solver_inc_ref": &z.solverIncRef,
		"Z3_solver_dec_ref": &z.solverDecRef, "Z3_solver_push": &z.solverPush,
		"Z3_solver_pop": &z.solverPop, "Z3_solver_assert": &z.solverAssert,
		"Z3_solver_check_assumptions":  &z.solverCheckAssumptions,
		"Z3_solver_get_model":          &z.solverGetModel,
		"Z3_solver_get_unsat_core":     &z.solverGetUnsatCore,
		"Z3_solver_get_reason_unknown": &z.solverGetReasonUnknown,
		"Z3_solver_set_params":         &z.solverSetParams,
		"Z3_solver_get_statistics":     &z.solverGetStatistics,
		"Z3_stats_inc_ref":             &z.statsIncRef, "Z3_stats_dec_ref": &z.statsDecRef,
		"Z3_stats_size": &z.statsSize, "Z3_stats_get_key": &z.statsGetKey,
		"Z3_stats_get_uint_value": &z.statsGetUintValue,
		"Z3_model_inc_ref":        &z.modelIncRef, "Z3_model_dec_ref": &z.modelDecRef,
		"Z3_model_eval": &z.modelEval, "Z3_get_bool_value": &z.getBoolValue,
		"Z3_get_numeral_int64": &z.getNumeralInt64,
		"Z3_mk_params":         &z.mkParams, "Z3_params_inc_ref": &z.paramsIncRef,
		"Z3_params_dec_ref": &z.paramsDecRef, "Z3_params_set_uint": &z.paramsSetUint,
		"Z3_ast_vector_inc_ref": &z.astVectorIncRef, "Z3_ast_vector_dec_ref": &z.astVectorDecRef,
		"Z3_ast_vector_size": &z.astVectorSize, "Z3_ast_vector_get": &z.astVectorGet,
		"Z3_parse_smtlib2_string": &z.parseSmtlib2String,
	}
}

var z3Library = sync.OnceValues(func() (*z3API, error) { return loadZ3(z3Names[runtime.GOOS]) })

// loadZ3 loads the first of the named libraries that is there.
func loadZ3(names []string) (*z3API, error) {
	var library uintptr
	var err error
	for _, name := range names {
		if library, err = purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL); err == nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("solver: Z3's library is not on this machine (%v): "+
			"install it (Debian, Ubuntu: apt-get install libz3-4; Fedora: dnf install z3-libs; "+
			"macOS: brew install z3), or use the built-in engine", err)
	}
	api := &z3API{}
	for name, field := range api.functions() {
		address, err := purego.Dlsym(library, name)
		if err != nil {
			return nil, fmt.Errorf("solver: Z3's library has no function %s, which its version 4.8.12 has: "+
				"install that version or a later one: %v", name, err)
		}
		purego.RegisterFunc(field, address)
	}
	return api, nil
}
