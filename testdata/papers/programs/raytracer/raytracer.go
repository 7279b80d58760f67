// Package raytracer is the ray tracer of the Java Grande Forum: goroutines render
// every so-many-th line of a picture of spheres, and each adds its checksum to that
// of all. As there, each does so under a lock of its own.
package raytracer

import (
	"math"
	"sync"
)

// A vector has a direction in space, or a colour.
type vector struct{ x, y, z float64 }

func (a vector) plus(f float64, b vector) vector {
	return vector{a.x + f*b.x, a.y + f*b.y, a.z + f*b.z}
}

func (a vector) dot(b vector) float64 { return a.x*b.x + a.y*b.y + a.z*b.z }

func (a vector) unit() vector { return vector{}.plus(1/math.Sqrt(a.dot(a)), a) }

// A Sphere has a place, a size and a colour.
type Sphere struct {
	at     vector
	r      float64
	colour float64
}

// hit returns how far a ray goes until it hits the sphere; 0 if it does not.
func (s *Sphere) hit(from, to vector) float64 {
	d := s.at.plus(-1, from)
	along := d.dot(to)
	if under := along*along - d.dot(d) + s.r*s.r; along > 0 && under > 0 {
		return along - math.Sqrt(under)
	}
	return 0
}

// A Scene is spheres in the light of one lamp.
type Scene struct {
	lamp    vector
	spheres []*Sphere
}

// New returns a scene of n*n spheres.
func New(n int) *Scene {
	s := &Scene{lamp: vector{-5, 9, -9}}
	for k := range n * n {
		at := vector{float64(k%n) - float64(n-1)/2, float64(k/n) - float64(n-1)/2, float64(k % 3)}
		s.spheres = append(s.spheres, &Sphere{at, 0.4, float64(k%5+1) / 5})
	}
	return s
}

// trace returns how bright the first sphere is that a ray hits.
func (s *Scene) trace(from, to vector) float64 {
	var first *Sphere
	near := math.Inf(1)
	for _, o := range s.spheres {
		if d := o.hit(from, to); d > 0 && d < near {
			first, near = o, d
		}
	}
	if first == nil {
		return 0
	}
	at := from.plus(near, to)
	normal := at.plus(-1, first.at).unit()
	return first.colour * max(0.1, normal.dot(s.lamp.plus(-1, at).unit()))
}

// A Picture is square, and a goroutine renders some of its lines.
type Picture struct {
	size     int
	pixels   []int
	checksum int
	rendered int // lines
}

// A Renderer is one of the goroutines that make a picture.
type Renderer struct {
	scene   *Scene
	picture *Picture
	id, of  int

	mu       sync.Mutex
	checksum int
}

// Render makes a picture; the caller is the first of the goroutines.
func Render(s *Scene, size, goroutines int) *Picture {
	p := &Picture{size: size, pixels: make([]int, size*size)}
	var others sync.WaitGroup
	for id := 1; id < goroutines; id++ {
		r := &Renderer{scene: s, picture: p, id: id, of: goroutines}
		others.Go(r.run)
	}
	first := &Renderer{scene: s, picture: p, of: goroutines}
	first.run()
	others.Wait()
	return p
}

func (r *Renderer) run() {
	lines := 0
	for y := r.id; y < r.picture.size; y += r.of {
		for x := range r.picture.size {
			r.pixel(x, y)
		}
		lines++
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.picture.checksum += r.checksum
	r.picture.rendered += lines
}

func (r *Renderer) pixel(x, y int) {
	half := float64(r.picture.size) / 2
	to := vector{(float64(x) - half) / half, (float64(y) - half) / half, 3}.unit()
	c := int(255 * r.scene.trace(vector{z: -6}, to))
	r.picture.pixels[y*r.picture.size+x] = c
	r.checksum += c
}
