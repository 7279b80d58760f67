module example.com/pecan-fig1

go 1.26
