package selftest

import (
	"log"
	"os"
	"testing"
)

// TestEnd has a subtest for each function that ends the program as failed. One of them
// is run at a time, where SELFTEST_END is set.
func TestEnd(t *testing.T) {
	if os.Getenv("SELFTEST_END") == "" {
		return
	}
	for name, end := range map[string]func(){
		"LogFatal":         func() { log.Fatal("x") },
		"LogFatalf":        func() { log.Fatalf("x") },
		"LogFatalln":       func() { log.Fatalln("x") },
		"LogLoggerFatal":   func() { log.Default().Fatal("x") },
		"LogLoggerFatalf":  func() { log.Default().Fatalf("x") },
		"LogLoggerFatalln": func() { log.Default().Fatalln("x") },
		"OsExit":           func() { os.Exit(1) },
	} {
		t.Run(name, func(*testing.T) { end() })
	}
}
