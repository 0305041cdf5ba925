/* The energy between one ligand atom and all protein atoms, for several poses at a time. */
#include <math.h>
typedef struct { float x, y, z; int type; } Atom;
typedef struct { float radius, hphb, elsc; } Field;
void energies(int poses, int proteins, const Atom *restrict protein, const Field *restrict field, Field own,
              const float *restrict lx, const float *restrict ly, const float *restrict lz, float *restrict sum) {
  for (int p = 0; p < proteins; p++) {
    const Atom atom = protein[p];
    const Field other = field[atom.type];
    const float radii = other.radius + own.radius, inverse = 1.0f / radii, charge = own.elsc * other.elsc;
    const float solvation = other.hphb + own.hphb;
    for (int l = 0; l < poses; l++) {
      const float x = lx[l] - atom.x, y = ly[l] - atom.y, z = lz[l] - atom.z;
      const float distance = sqrtf(x*x + y*y + z*z), apart = distance - radii;
      const int inside = apart < 0.0f;
      sum[l] += (1.0f - distance*inverse) * (inside ? 76.0f : 0.0f);
      const float e = charge * ((inside ? 1.0f : 1.0f - apart*0.25f) * (apart < 4.0f ? 1.0f : 0.0f));
      sum[l] += e * 45.0f;
      const float s = solvation * (apart < 5.5f ? 1.0f : 0.0f) * (inside ? 1.0f : 1.0f - apart*0.18f);
      sum[l] += s;
    }
  }
}
