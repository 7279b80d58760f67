module example.com/circles

go 1.26
