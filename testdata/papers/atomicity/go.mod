module example.com/atomicity

go 1.26
