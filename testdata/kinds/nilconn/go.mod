module example.com/nilconn

go 1.26
