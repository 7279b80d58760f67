#include "textflag.h"
#include "funcdata.h"

TEXT ·Spoil(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ fp+0(FP), BP
	RET

TEXT ·Call(SB), 0, $8-16
	NO_LOCAL_POINTERS
	MOVQ f+8(FP), AX
	MOVQ AX, 0(SP)
	MOVQ fp+0(FP), BP
	CALL ·run(SB)
	RET

TEXT ·Fault(SB), NOSPLIT, $8-8
	MOVQ fp+0(FP), BP
	MOVQ $8, AX
	MOVQ 0(AX), AX
	RET

TEXT ·Here(SB), NOSPLIT, $0-16
	LEAQ arg+0(FP), AX
	MOVQ AX, ret+8(FP)
	RET
