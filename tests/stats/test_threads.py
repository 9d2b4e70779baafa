"""Linear algebra on one thread."""

from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

from attunement.stats.threads import one_thread


def threads() -> list[int]:
    return [p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"]


def test_small_products_get_one_thread_and_the_others_their_own_back() -> None:
    before = threads()
    with one_thread():
        assert set(threads()) <= {1}
        with one_thread():
            pass
        assert set(threads()) <= {1}  # an inner block does not open it again
    assert threads() == before
