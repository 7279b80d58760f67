module github.com/gopredict/gopredict

go 1.26.0
