module observed

go 1.26
