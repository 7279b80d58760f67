module example.com/misused

go 1.26
