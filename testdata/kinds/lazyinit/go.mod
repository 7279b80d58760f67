module example.com/lazyinit

go 1.26
