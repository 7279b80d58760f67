module example.com/slicegrow

go 1.26
