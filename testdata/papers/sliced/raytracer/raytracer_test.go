package raytracer

import "testing"

func TestRender(t *testing.T) {
	if Render(4, 48, 4) == nil {
		t.Error("no picture")
	}
}
