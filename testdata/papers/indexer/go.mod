module example.com/indexer

go 1.25
