module example.com/maprace

go 1.26
