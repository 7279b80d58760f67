package selftest

import (
	"testing"
	"testing/synctest"
	"time"
)

func bubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		go time.Sleep(1)
		synctest.Wait()
		time.Sleep(2)
	})
}

func TestRuntimeSynctestRun(t *testing.T)  { bubble(t) }
func TestRuntimeSynctestWait(t *testing.T) { bubble(t) }
