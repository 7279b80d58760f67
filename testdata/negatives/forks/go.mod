module example.com/forks

go 1.26
