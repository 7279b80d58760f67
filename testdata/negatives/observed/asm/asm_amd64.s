#include "textflag.h"

// func add(a, b int) int
TEXT ·add(SB), NOSPLIT, $0-24
	MOVQ a+0(FP), AX
	ADDQ b+8(FP), AX
	MOVQ AX, ret+16(FP)
	RET

// func usesBP(p *int) int
TEXT ·usesBP(SB), $0-16
	MOVQ p+0(FP), BX
	MOVQ BP, DX
	MOVQ $9, BP
	MOVQ (BX), AX
	ADDQ BP, AX
	MOVQ DX, BP
	MOVQ AX, ret+8(FP)
	RET

// func calls(n int) int
TEXT ·calls(SB), $64-16
	MOVQ n+0(FP), AX
	MOVQ AX, 0(SP)
	CALL ·back(SB)
	MOVQ 8(SP), AX
	MOVQ AX, ret+8(FP)
	RET

// func callsBP(n int) int
TEXT ·callsBP(SB), $64-16
	MOVQ n+0(FP), AX
	MOVQ AX, 0(SP)
	MOVQ BP, 32(SP)
	MOVQ $0x1234, BP
	CALL ·back(SB)
	MOVQ 32(SP), BP
	MOVQ 8(SP), AX
	MOVQ AX, ret+8(FP)
	RET

// func big(n int) int
TEXT ·big(SB), $65536-16
	MOVQ n+0(FP), AX
	MOVQ AX, ret+8(FP)
	RET

// func xadd(p *int64, d int64) int64
TEXT ·xadd(SB), NOSPLIT, $0-24
	MOVQ p+0(FP), BX
	MOVQ d+8(FP), AX
	LOCK
	XADDQ AX, 0(BX)
	MOVQ AX, ret+16(FP)
	RET

DATA ·table+0(SB)/8, $42
GLOBL ·table(SB), RODATA, $8
