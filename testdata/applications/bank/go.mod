module example.com/bank

go 1.26.0

require github.com/gopredict/gopredict v0.0.0

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/term v0.47.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

tool github.com/gopredict/gopredict

replace github.com/gopredict/gopredict => ../../..
