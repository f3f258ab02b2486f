package io.millrace.dataplane.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class NetworkBufferPoolTest {
  private static final int SEGMENT = 1024;
  private final NetworkBufferPool pool =
      new NetworkBufferPool(new NetworkMemory(16 * SEGMENT + 100, SEGMENT));

  @Test
  @Behaviour(
      "F6: network memory is divided into buffers of one size; too few are an error that says how"
          + " much to set")
  void hasAsManyBuffersAsFitIntoItsMemory() {
    assertThat(pool.memory().buffers()).isEqualTo(16);
    assertThat(pool.free()).isEqualTo(16);
  }

  @Test
  void givesTheLargestWindowThatLeavesHalfToOthers() {
    assertThat(pool.reserve(window -> window).orElseThrow().window()).isEqualTo(8);
    assertThat(pool.reserve(window -> window).orElseThrow().window()).isEqualTo(4);
    assertThat(pool.reserve(window -> window).orElseThrow().window()).isEqualTo(2);
    assertThat(pool.free()).isEqualTo(2);
    assertThat(pool.reserve(window -> 2 * window).orElseThrow().window()).isEqualTo(1);
    assertThat(pool.free()).isZero();
    assertThat(pool.reserve(window -> window)).isEmpty();
    assertThat(pool.reserve(window -> 0)).isPresent();
  }

  @Test
  void reservesNothingForWhoCannotHaveAll() {
    assertThat(pool.reserve(window -> 17)).isEmpty();
    assertThat(pool.free()).isEqualTo(16);
  }

  @Test
  void buffersInUseComeBackAfterTheEnd() {
    LocalBufferPool reserved = pool.reserve(window -> 3).orElseThrow();
    ByteBuffer first = reserved.request().orElseThrow();
    ByteBuffer second = reserved.request().orElseThrow();

    reserved.recycle(first);
    reserved.close();

    assertThat(pool.free()).isEqualTo(15);
    assertThat(reserved.request()).isEmpty();
    reserved.recycle(second);
    assertThat(pool.free()).isEqualTo(16);
  }

  @Test
  void refusesWhoTakesMoreThanReserved() {
    LocalBufferPool reserved = pool.reserve(window -> 1).orElseThrow();
    assertThat(reserved.request()).isPresent();
    assertThatThrownBy(reserved::request)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("All 1 network buffers");
  }

  @Test
  void aSegmentGivesItsMemoryBackOnce() {
    LocalBufferPool reserved = pool.reserve(window -> 1).orElseThrow();
    for (int i = 0; i < 100; i++) {
      NetworkBuffer segment = new NetworkBuffer(reserved.request().orElseThrow(), reserved);
      segment.writeLong(i);
      segment.retain();
      assertThat(segment.release()).isFalse();
      assertThat(segment.readLong()).isEqualTo(i);
      assertThat(segment.release()).isTrue();
    }
  }

  @Test
  @Behaviour(
      "F6: network memory is divided into buffers of one size; too few are an error that says how"
          + " much to set")
  void neverHandsOutMoreThanItHasWhoeverAsks() throws Exception {
    CountDownLatch start = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  start.await();
                  for (int round = 0; round < 2000; round++) {
                    Optional<LocalBufferPool> reserved = pool.reserve(window -> 5);
                    if (reserved.isPresent()) {
                      ByteBuffer used = reserved.get().request().orElseThrow();
                      reserved.get().close();
                      reserved.get().recycle(used);
                    }
                  }
                } catch (InterruptedException | RuntimeException e) {
                  synchronized (failures) {
                    failures.add(e);
                  }
                }
              });
      threads.add(thread);
      thread.start();
    }
    start.countDown();
    for (Thread thread : threads) {
      thread.join(20_000);
    }
    assertThat(failures).isEmpty();
    assertThat(pool.free()).isEqualTo(16);
  }

  @Test
  void refusesBuffersOfNoUse() {
    assertThatThrownBy(() -> new NetworkMemory(1 << 20, 100))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("taskmanager.memory.segment-size");
  }
}
