package sources

import (
	"os"
	"testing"

	"github.com/gopredict/gopredict/internal/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.M{M: m}.Run()) }
