module example.com/flips

go 1.26
