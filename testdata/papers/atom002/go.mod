module example.com/atom002

go 1.26
