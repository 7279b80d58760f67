module example.com/lease

go 1.26
