package io.millrace.dataplane.cores;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.Slow;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KernelThreadProbeTest {
  static Stream<Named<Supplier<ThreadProbe>>> sights() {
    return Stream.of(
        Named.of("by the kernel", KernelThreadProbe::ofCurrentThread),
        Named.of("by the JVM", KernelThreadProbe::ofCurrentThreadWithoutKernel));
  }

  /** User code. */
  private interface Call {
    void run() throws Exception;
  }

  private static ThreadProbe start(Supplier<ThreadProbe> sight, Call code) {
    CompletableFuture<ThreadProbe> seen = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              seen.complete(sight.get());
              try {
                code.run();
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return seen.join();
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + 60_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      LockSupport.parkNanos(100_000);
    }
  }

  @ParameterizedTest
  @MethodSource("sights")
  void aThreadThatWaitsIsAsleep(Supplier<ThreadProbe> sight) {
    CountDownLatch gate = new CountDownLatch(1);
    ThreadProbe waiting = start(sight, () -> Slow.await(gate));
    await(waiting::isAsleep);
    gate.countDown();
  }

  @ParameterizedTest
  @MethodSource("sights")
  @Behaviour(
      "F5: the watchdog takes the core from a step that sleeps, waits for I/O or computes too"
          + " long, not from one that waits for a processor")
  void aThreadThatReadsFromASocketIsAsleep(Supplier<ThreadProbe> sight) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket silent = server.accept()) {
      InputStream in = client.getInputStream();
      ThreadProbe reading = start(sight, () -> assertThat(in.read()).isEqualTo(-1));
      await(reading::isAsleep);
      silent.shutdownOutput();
    }
  }

  @ParameterizedTest
  @MethodSource("sights")
  void aThreadThatComputesIsAwakeAndUsesAProcessor(Supplier<ThreadProbe> sight) {
    CountDownLatch gate = new CountDownLatch(1);
    ThreadProbe computing = start(sight, () -> assertThat(Slow.compute(gate)).isNotNegative());
    await(() -> !computing.isAsleep());
    long before = computing.cpuNanos();
    await(() -> computing.cpuNanos() > before);
    gate.countDown();
  }
}
