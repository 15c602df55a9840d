// What split.comp and the kernels that multiply its parts agree on.
const uint PART = 16;  // elements along K of hi, and then of lo
const float LO_UNIT = 1.0 / 4096; // of lo
const uint TOP = 14;   // the exponent of a line's largest element, once scaled
// The exponent, with its bias, for which a row or column is scaled, which must leave a factor that is a normal number.
uint largest_of(uint found) { return clamp(found, 16, 254); }
