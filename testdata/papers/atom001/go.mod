module example.com/atom001

go 1.26
