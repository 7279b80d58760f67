module example.com/sctbench

go 1.26
