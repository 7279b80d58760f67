module example.com/correct

go 1.26

require golang.org/x/sync v0.17.0
