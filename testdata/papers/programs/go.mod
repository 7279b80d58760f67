module example.com/papers

go 1.26
