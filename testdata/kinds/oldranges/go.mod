module example.com/oldranges

go 1.21
