package counter

import (
	"sync"
	"testing"
	"time"
)

func TestPage(t *testing.T) {
	var page Page
	var title string
	var all sync.WaitGroup
	all.Go(func() {
		page.Publish("news")
	})
	all.Go(func() {
		time.Sleep(5 * time.Millisecond) // it is published by now
		title = page.Title(true)
	})
	all.Wait()
	if title != "NEWS" {
		t.Errorf("the title is %q", title)
	}
}

func TestFeed(t *testing.T) {
	var feed Feed
	var item string
	var all sync.WaitGroup
	all.Go(func() {
		feed.Publish("rain")
	})
	all.Go(func() {
		time.Sleep(5 * time.Millisecond)
		item = feed.Item(true)
	})
	all.Wait()
	if item != "RAIN" {
		t.Errorf("the item is %q", item)
	}
}
