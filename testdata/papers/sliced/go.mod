module example.com/sliced

go 1.26

require example.com/papers v0.0.0

replace example.com/papers => ../programs
