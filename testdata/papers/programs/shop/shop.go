// Package shop is the shop of the ConTest suite: a customer looks whether there
// are goods, and then takes one, without a lock.
package shop

// A Shop has goods.
type Shop struct {
	goods int
}

// Put adds one of the goods.
func (s *Shop) Put() {
	s.goods++
}

// Take takes one, if there is any.
func (s *Shop) Take() bool {
	if s.goods == 0 {
		return false
	}
	s.goods--
	if s.goods < 0 {
		panic("shop: took what is not there")
	}
	return true
}
