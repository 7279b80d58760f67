module example.com/variations/rangevar

go 1.21
