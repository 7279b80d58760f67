module example.com/eitherdoor

go 1.26
