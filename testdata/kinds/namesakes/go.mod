module example.com/namesakes

go 1.26
