module example.com/userpatterns

go 1.26
