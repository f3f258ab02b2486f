package io.millrace.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reservations and shared resources of a slot, compared with plain sums. */
class RandomManagedMemoryTest {
  private static final long BYTES = 1_000;

  /** A resource that knows its size and whether it was closed. */
  private static final class Cache implements AutoCloseable {
    private final long bytes;
    private int closed;

    Cache(long bytes) {
      this.bytes = bytes;
    }

    @Override
    public void close() {
      closed++;
    }
  }

  /** Another kind of resource, which a slot may share, too. */
  private static final class Pool implements AutoCloseable {
    @Override
    public void close() {
      throw new IllegalStateException("in use");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void reservationsNeverExceedTheMemoryAndAllOfItComesBack(long seed) {
    Random random = new Random(seed);
    ManagedMemory slot = ManagedMemory.share(BYTES, 4);
    List<ManagedMemory.Lease> leases = new ArrayList<>();
    List<Long> held = new ArrayList<>();
    List<ManagedMemory.Use<Cache>> uses = new ArrayList<>();
    List<Cache> caches = new ArrayList<>();
    long shared = 0;
    for (int i = 0; i < 500; i++) {
      long free = BYTES - shared - held.stream().mapToLong(Long::longValue).sum();
      assertThat(slot.free()).as("seed %d, step %d", seed, i).isEqualTo(free);
      int chosen = leases.isEmpty() ? 0 : random.nextInt(leases.size());
      switch (random.nextInt(8)) {
        case 0 -> {
          leases.add(slot.lease("task " + i));
          held.add(0L);
        }
        case 1, 2 -> {
          if (!leases.isEmpty()) {
            long more = random.nextInt(400);
            boolean granted = reserve(leases.get(chosen), more);
            assertThat(granted).as("seed %d, step %d", seed, i).isEqualTo(more <= free);
            held.set(chosen, held.get(chosen) + (granted ? more : 0));
          }
        }
        case 3 -> {
          if (!leases.isEmpty() && held.get(chosen) > 0) {
            long less = 1 + random.nextLong(held.get(chosen));
            leases.get(chosen).release(less);
            held.set(chosen, held.get(chosen) - less);
          }
        }
        case 4 -> {
          if (!leases.isEmpty()) {
            leases.remove(chosen).close();
            held.remove(chosen);
          }
        }
        case 5, 6 -> {
          boolean first = uses.isEmpty();
          if (first && free < 200) {
            assertThatThrownBy(() -> slot.share("task", Cache.class, 200, Cache::new))
                .isInstanceOf(MillraceException.class);
          } else {
            uses.add(slot.share("task", Cache.class, 200, Cache::new));
            caches.add(uses.get(uses.size() - 1).resource());
            shared = first ? free : shared;
            assertThat(caches.get(caches.size() - 1).bytes)
                .as("seed %d: all memory that was free for the first", seed)
                .isEqualTo(shared);
          }
        }
        default -> {
          if (!uses.isEmpty()) {
            ManagedMemory.Use<Cache> use = uses.remove(random.nextInt(uses.size()));
            use.close();
            use.close();
            assertThat(use.resource().closed)
                .as("the last user closes it, once")
                .isEqualTo(uses.isEmpty() ? 1 : 0);
            shared = uses.isEmpty() ? 0 : shared;
          }
        }
      }
    }
    leases.forEach(ManagedMemory.Lease::close);
    uses.forEach(ManagedMemory.Use::close);
    assertThat(slot.free()).isEqualTo(BYTES);
    assertThat(caches).allMatch(cache -> cache.closed == 1);
  }

  private static boolean reserve(ManagedMemory.Lease lease, long more) {
    try {
      lease.reserve(more);
      return true;
    } catch (MillraceException e) {
      assertThat(e.kind()).isEqualTo(ErrorKind.RESOURCE);
      return false;
    }
  }

  @Test
  void resourceThatCannotBeCreatedReservesNothing() {
    ManagedMemory slot = ManagedMemory.declared(BYTES);

    assertThatThrownBy(
            () ->
                slot.share(
                    "task",
                    Cache.class,
                    1,
                    bytes -> {
                      throw new IllegalStateException("no native library");
                    }))
        .hasMessage("no native library");
    assertThat(slot.free()).isEqualTo(BYTES);
    assertThat(slot.share("task", Cache.class, 1, Cache::new).resource().bytes).isEqualTo(BYTES);
  }

  @Test
  void memoryComesBackAlsoIfTheResourceCannotBeClosed() {
    ManagedMemory slot = ManagedMemory.declared(BYTES);
    ManagedMemory.Use<Pool> use = slot.share("task", Pool.class, 1, bytes -> new Pool());

    assertThatThrownBy(use::close)
        .isInstanceOf(IllegalStateException.class)
        .hasRootCauseMessage("in use");
    assertThat(slot.free()).isEqualTo(BYTES);
  }

  @Test
  void secondKindOfResourceFindsNoMemoryAndTheErrorSaysWhatWouldDo() {
    ManagedMemory slot = ManagedMemory.share(64L << 20, 2);
    slot.share("first", Cache.class, 1, Cache::new);

    assertThatThrownBy(() -> slot.share("second", Pool.class, 32L << 20, bytes -> new Pool()))
        .isInstanceOf(MillraceException.class)
        .hasMessageStartingWith(
            "Task second needs 32 mb of managed memory, but of the 64 mb of its slot 0 bytes are"
                + " free. Set taskmanager.memory.managed.size to 192mb or more for the 2 slots");
  }

  @Test
  void amountsAreNotNegative() {
    ManagedMemory.Lease lease = ManagedMemory.declared(BYTES).lease("task");

    assertThatIllegalArgumentException().isThrownBy(() -> ManagedMemory.declared(-1));
    assertThatIllegalArgumentException().isThrownBy(() -> ManagedMemory.share(1, 0));
    assertThatThrownBy(() -> lease.reserve(-1)).hasMessage("Task task reserves -1 bytes");
    assertThatThrownBy(() -> lease.release(-1)).hasMessage("Task task releases -1 of 0 bytes");
  }
}
