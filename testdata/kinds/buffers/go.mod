module example.com/buffers

go 1.26
