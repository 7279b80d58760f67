module example.com/throughcalls

go 1.26
