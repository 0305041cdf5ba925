"""Notes on references of kernels name them as the source does."""

from roofline import estimate, source_text


def test_members_of_one_element_are_one_note():
    """Three members of structures of 16 bytes, read and written: each a request over 16 sectors."""
    text = """struct P { float x, y, z, w; };
    __global__ void drift(P *p, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) { p[i].x += 1.f; p[i].y += 1.f; p[i].z += 1.f; }
    }
    void run(P *p) { drift<<<4096, 256>>>(p, 4096 * 256); }"""
    (region,) = estimate(source_text(text, "cuda"), "a100").regions
    notes = [note.text for model in region.traffic.models for note in model.notes if note.code == "AI406"]
    assert [note.partition(":")[0] for note in notes] == ["p[i]"]
