module example.com/lostsignal

go 1.26
