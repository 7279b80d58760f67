module example.com/negatives

go 1.26
