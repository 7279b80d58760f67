package raytracer

import "testing"

func TestRender(t *testing.T) {
	size := 26
	if testing.Short() {
		size = 4
	}
	p := Render(New(3), size, 2)
	sum := 0
	for _, c := range p.pixels {
		sum += c
	}
	if p.checksum != sum || p.rendered != size {
		t.Errorf("checksum %d of %d lines, want %d of %d", p.checksum, p.rendered, sum, size)
	}
}
