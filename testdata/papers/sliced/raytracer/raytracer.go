// Package raytracer renders a picture by the ray tracer of the papers' programs.
package raytracer

import "example.com/papers/raytracer"

// Render renders a square picture of the given size of n*n spheres.
func Render(n, size, goroutines int) *raytracer.Picture {
	return raytracer.Render(raytracer.New(n), size, goroutines)
}
