module example.com/users

go 1.26.0

require (
	github.com/gopredict/gopredict v0.0.0
	github.com/jackc/puddle/v2 v2.2.3
	golang.org/x/sync v0.24.0
)

replace github.com/gopredict/gopredict => ../../../..
