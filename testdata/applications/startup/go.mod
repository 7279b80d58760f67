module example.com/startup

go 1.26
