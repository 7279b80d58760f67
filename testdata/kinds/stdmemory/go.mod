module example.com/stdmemory

go 1.26
