"""Programs of many nests and few references: to search for reuses takes longer than to simulate their streams."""

from roofline import estimate, source_text

NESTS = 240
LINES = 5 * 33 + 2 * 32  # five arrays are used up to their element 256


def program(nests: int) -> str:
    """Return a time loop around nests with two statements each, all on seven arrays."""
    loops = "\n".join(
        f"for (int i = 0; i < 256; i++) {{ a{n % 7}[i] += {n}.0; a{n % 5}[i + 1] *= a{n % 3}[i]; }}"
        for n in range(nests)
    )
    return f"""static double a0[257], a1[257], a2[257], a3[257], a4[257], a5[257], a6[257];
    void steps(void) {{ for (int t = 0; t < 1000; t++) {{ {loops} }} }}"""


def test_nests_that_find_their_data_in_cache_move_it_once():
    """Each line of the seven arrays comes from memory once, in the first of 1000 steps."""
    (region,) = estimate(source_text(program(NESTS)), hierarchy="L1:32KiB,L2:1MiB").regions
    nests = region.nests[0].nests
    assert len(nests) == NESTS
    assert [nest.traffic.models[0].model for nest in nests] == ["simulate"] * NESTS
    from_memory = [nest.traffic.models[0].levels[-1].read_bytes.estimate.evaluate({}) for nest in nests]
    assert sum(from_memory) == LINES * 64
