module example.com/builtin

go 1.26.0
