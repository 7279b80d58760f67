module example.com/rwcache

go 1.26
