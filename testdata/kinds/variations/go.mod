module example.com/variations

go 1.26
