module example.com/shrink

go 1.26
