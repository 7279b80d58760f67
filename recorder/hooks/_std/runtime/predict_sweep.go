package runtime

// predictAfterSweep is called when the garbage collector has swept a span, before anything is
// allocated there. If it has freed objects, it reports all that are free, 64 at a time.
func predictAfterSweep(s *mspan, freed uint16) {
	if freed == 0 {
		return
	}
	if predictActive && s.spanclass == tinySpanClass {
		s.predictForgetTiny()
	}
	if !predictOn {
		return
	}
	for first := uintptr(0); first < uintptr(s.nelems); first += 64 {
		var which uint64
		for k := range uintptr(8) {
			which |= uint64(^*s.gcmarkBits.bytep(first/8 + k)) << (8 * k)
		}
		if rest := uintptr(s.nelems) - first; rest < 64 {
			which &= 1<<rest - 1
		}
		if which != 0 {
			predictHooks.Freed(s.base()+first*s.elemsize, s.elemsize, which)
		}
	}
}
