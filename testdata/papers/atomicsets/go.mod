module example.com/atomicsets

go 1.26
