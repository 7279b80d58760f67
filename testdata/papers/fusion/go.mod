module example.com/fusion

go 1.26
