module example.com/misordered

go 1.26
