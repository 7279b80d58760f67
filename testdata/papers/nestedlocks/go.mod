module example.com/nestedlocks

go 1.26
