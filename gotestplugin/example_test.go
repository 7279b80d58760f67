package gotestplugin_test

import (
	"testing"

	"github.com/gopredict/gopredict/gotestplugin"
)

// In the package from whose folder go test is run, a _test.go file has
//
//	func TestMain(m *testing.M) { gotestplugin.Main(m) }
//
// Then the module's tests are examined by
//
//	go test -predict ./...
//
// and the report is also written as a page by
//
//	go test -predict -predict.html=report.html ./...
func ExampleMain() {
	var m *testing.M // the parameter of TestMain
	gotestplugin.Main(m)
}
