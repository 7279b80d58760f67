#include "textflag.h"
#include "funcdata.h"

TEXT ·Spoil(SB), NOSPLIT|NOFRAME, $0-8
	MOVD fp+0(FP), R29
	RET

TEXT ·Call(SB), 0, $16-16
	NO_LOCAL_POINTERS
	MOVD f+8(FP), R0
	MOVD R0, 8(RSP)
	MOVD fp+0(FP), R29
	CALL ·run(SB)
	RET

TEXT ·Fault(SB), NOSPLIT, $16-8
	MOVD fp+0(FP), R29
	MOVD $8, R0
	MOVD (R0), R0
	RET

TEXT ·Here(SB), NOSPLIT, $0-16
	MOVD $arg+0(FP), R0
	MOVD R0, ret+8(FP)
	RET
