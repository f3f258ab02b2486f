package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.operator.OperatorSpec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.wire.ConnectionTimeouts;
import io.millrace.dataplane.wire.NetworkMemory;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.TaskState;
import java.io.IOException;
import java.io.Serializable;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** An exchange whose connections break, lie, stop or are slow, in the middle of it. */
class BrokenExchangeTest {
  private static final NetworkMemory MEMORY = new NetworkMemory(1 << 20, 4096);
  private static final ConnectionTimeouts PATIENT =
      new ConnectionTimeouts(
          Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofSeconds(50));
  private static final ConnectionTimeouts IMPATIENT =
      new ConnectionTimeouts(Duration.ofSeconds(30), Duration.ofMillis(50), Duration.ofMillis(400));

  /** Longer than the processes of a busy machine pause, so that only a closed gate exceeds it. */
  private static final ConnectionTimeouts STEADY =
      new ConnectionTimeouts(Duration.ofSeconds(30), Duration.ofMillis(200), Duration.ofSeconds(6));

  private static final int RECORDS = 20_000;

  /** More than the greeting takes in either direction, less than the records do. */
  private static final int GREETED = 400;

  private static final FaultyProxy.FaultInjection NONE = (toHost, position, bytes) -> bytes;

  /** The numbers, each on the way to the other host or not, as its hash has it. */
  private static JobGraph numbers(long count) {
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 2, Fixtures.numbers(count));
    JobVertex sink =
        program.vertex("sink", 2, new OperatorSpec.Map(number -> "n" + number), Fixtures.collect());
    program.edge(source, sink, Partitioning.HASH, (Serializable) Fixtures.itself());
    return program.build();
  }

  private static List<Object> expected(long count) {
    return LongStream.range(0, count).mapToObj(n -> (Object) ("n" + n)).sorted().toList();
  }

  private static void assertExact(TestRun run, long count) {
    assertThat(run.failures()).isEmpty();
    assertThat(run.collected().stream().sorted().toList()).isEqualTo(expected(count));
  }

  private static void assertBuffersAreBack(TestRun run, DataPlane... hosts) {
    for (DataPlane host : hosts) {
      run.await(
          "all buffers are back",
          () -> host.networkPool().orElseThrow().free() == MEMORY.buffers());
    }
  }

  /**
   * One side may not have heard yet that a connection broke and use it once more; the job is
   * restarted then, as the JobMaster does it.
   */
  private static void assertStillWorks(DataPlane... hosts) {
    TestRun again = awaitEndOrFailure(TestRun.start(numbers(1000), hosts));
    for (int attempt = 1; attempt < 4 && !again.failures().isEmpty(); attempt++) {
      assertBuffersAreBack(again, hosts);
      again = awaitEndOrFailure(TestRun.start(numbers(1000), hosts));
    }
    assertExact(again, 1000);
    assertBuffersAreBack(again, hosts);
  }

  /** What all runs have in common, whatever happened to them. */
  private static void assertNothingWrong(TestRun run) {
    assertThat(run.violations()).isEmpty();
    Set<Object> collected = new HashSet<>(run.collected());
    assertThat(run.collected()).hasSize(collected.size());
    assertThat(new HashSet<>(expected(RECORDS)).containsAll(collected)).isTrue();
    if (run.failures().isEmpty() && run.count(TaskState.CANCELED) == 0) {
      assertThat(run.collected()).hasSize(RECORDS);
    }
    assertThat(run.failures())
        .allSatisfy(failure -> assertThat(failure.kind()).isEqualTo(ErrorKind.EXTERNAL));
  }

  /** As the JobMaster does it: the first failure ends the others, too. */
  private static TestRun awaitEndOrFailure(TestRun run) {
    run.await(
        "ended or failed",
        () ->
            run.count(TaskState.FAILED) > 0
                || run.states().values().stream().allMatch(TaskState::isTerminal));
    if (run.count(TaskState.FAILED) > 0) {
      run.cancel();
    }
    return run.awaitEnd();
  }

  @Test
  @Behaviour(
      "H2: a broken connection fails the tasks that use it and returns all network buffers, also"
          + " with a stuck consumer")
  void aCutConnectionFailsTheTasksThatNeedIt() throws Exception {
    AtomicLong passed = new AtomicLong();
    try (DataPlane stays = FaultyProxy.host("127.0.0.1", MEMORY, PATIENT);
        FaultyProxy between =
            FaultyProxy.start(
                MEMORY,
                PATIENT,
                (toHost, position, bytes) -> {
                  if (passed.get() < 1 << 20 && passed.addAndGet(bytes.length) >= 1 << 20) {
                    throw new IOException("cut");
                  }
                  return bytes;
                })) {
      TestRun run = awaitEndOrFailure(TestRun.start(numbers(2_000_000), stays, between.host()));
      assertThat(run.failures())
          .isNotEmpty()
          .allSatisfy(
              failure ->
                  assertThat(failure.message())
                      .contains("TaskManager", "broke")
                      .containsAnyOf(stays.dataAddress(), between.host().dataAddress()));
      assertBuffersAreBack(run, stays, between.host());
      assertStillWorks(stays, between.host());
    }
  }

  @Test
  @Behaviour(
      "H2: a broken connection fails the tasks that use it and returns all network buffers, also"
          + " with a stuck consumer")
  void aCutConnectionLeavesNoBuffersWithAStuckConsumer() throws Exception {
    CountDownLatch stuck = new CountDownLatch(1);
    String latch = Fixtures.share(stuck);
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 1, new OperatorSpec.Source(new Fixtures.Endless()));
    JobVertex sink =
        program.vertex(
            "sink",
            2,
            new OperatorSpec.Map(
                record -> {
                  Fixtures.shared(latch, CountDownLatch.class).await();
                  return record;
                }),
            Fixtures.discard());
    program.edge(source, sink, Partitioning.BROADCAST);
    try (DataPlane stays = FaultyProxy.host("127.0.0.1", MEMORY, PATIENT);
        FaultyProxy between = FaultyProxy.start(MEMORY, PATIENT, NONE)) {
      TestRun run = TestRun.start(program.build(), stays, between.host()).awaitRunning();
      run.await(
          "the source waits",
          () ->
              stays.counters(run.job()).stream()
                  .anyMatch(counters -> counters.backPressuredMillis() > 0));
      // It may wait for the consumer beside it only, with no connection yet that could be cut.
      run.await(
          "records have come to the other host",
          () ->
              between.host().counters(run.job()).stream()
                  .anyMatch(counters -> counters.recordsIn() > 0));
      between.cut();
      run.await("both sides have heard", () -> run.count(TaskState.FAILED) == 2);
      run.cancel();
      run.awaitEnd();
      assertBuffersAreBack(run, stays, between.host());
      stuck.countDown();
      assertStillWorks(stays, between.host());
    }
  }

  @Test
  @Behaviour(
      "H2: a broken connection fails the tasks that use it and returns all network buffers, also"
          + " with a stuck consumer")
  void aConnectionClosedInOneDirectionIsABrokenOne() throws Exception {
    AtomicLong passed = new AtomicLong();
    try (DataPlane stays = FaultyProxy.host("127.0.0.1", MEMORY, PATIENT);
        FaultyProxy between =
            FaultyProxy.start(
                MEMORY,
                PATIENT,
                (toHost, position, bytes) -> {
                  if (toHost) {
                    passed.addAndGet(bytes.length);
                  }
                  return bytes;
                })) {
      TestRun run = TestRun.start(numbers(100_000_000), stays, between.host()).awaitRunning();
      // Records that stay on their host could be collected before there is a connection to close.
      run.await("records pass to the host", () -> passed.get() > GREETED);
      between.closeTowardsHost();
      awaitEndOrFailure(run);
      assertThat(run.failures()).isNotEmpty();
      assertBuffersAreBack(run, stays, between.host());
      assertStillWorks(stays, between.host());
    }
  }

  /** Flips a bit, drops or repeats some bytes, once, somewhere behind the greeting. */
  private static FaultyProxy.FaultInjection onceAt(long seed, AtomicLong done) {
    Random random = new Random(seed);
    boolean direction = random.nextInt(4) != 0;
    long at = (long) GREETED + random.nextInt(direction ? 50_000 : 500);
    int kind = random.nextInt(4);
    int length = 1 + random.nextInt(40);
    return (toHost, position, bytes) -> {
      if (toHost != direction || position > at || position + bytes.length <= at) {
        return bytes;
      }
      done.incrementAndGet();
      int here = (int) (at - position);
      int end = Math.min(bytes.length, here + length);
      switch (kind) {
        case 0 -> bytes[here] ^= (byte) (1 << length % 8);
        case 1 -> {
          byte[] rest = Arrays.copyOf(bytes, bytes.length - (end - here));
          System.arraycopy(bytes, end, rest, here, bytes.length - end);
          return rest;
        }
        case 2 -> {
          byte[] more = Arrays.copyOf(bytes, bytes.length + end - here);
          System.arraycopy(bytes, here, more, end, bytes.length - here);
          return more;
        }
        default -> Arrays.fill(bytes, here, end, (byte) 0);
      }
      return bytes;
    };
  }

  @Test
  @Behaviour("H2: bytes that are changed, lost or repeated in transit never become records")
  void changedLostAndRepeatedBytesNeverBecomeRecords() throws Exception {
    int failed = 0;
    try (DataPlane stays = FaultyProxy.host("127.0.0.1", MEMORY, PATIENT)) {
      for (long seed = 1; seed <= 40; seed++) {
        AtomicLong done = new AtomicLong();
        try (FaultyProxy between = FaultyProxy.start(MEMORY, IMPATIENT, onceAt(seed, done))) {
          TestRun run = awaitEndOrFailure(TestRun.start(numbers(RECORDS), stays, between.host()));
          try {
            assertNothingWrong(run);
            assertBuffersAreBack(run, stays, between.host());
          } catch (AssertionError e) {
            throw new AssertionError("Seed " + seed, e);
          }
          failed += run.failures().isEmpty() ? 0 : 1;
        }
      }
    }
    assertThat(failed).isGreaterThan(20);
  }

  /** Lets everything through until it is closed, and then nothing until it is opened again. */
  private static final class Gate implements FaultyProxy.FaultInjection {
    private boolean closed;

    synchronized void close(boolean now) {
      closed = now;
      notifyAll();
    }

    @Override
    public synchronized byte[] pass(boolean toHost, long position, byte[] bytes)
        throws IOException {
      while (closed) {
        try {
          wait();
        } catch (InterruptedException e) {
          throw new IOException(e);
        }
      }
      return bytes;
    }
  }

  @Test
  @Behaviour(
      "H2: a silent connection counts as broken after a time-out; a slow consumer or connection is"
          + " waited for")
  void aConnectionThatStandsStillForAWhileIsWaitedFor() throws Exception {
    Gate gate = new Gate();
    try (DataPlane stays = FaultyProxy.host("127.0.0.1", MEMORY, PATIENT);
        FaultyProxy between = FaultyProxy.start(MEMORY, PATIENT, gate)) {
      TestRun run = TestRun.start(numbers(200_000), stays, between.host()).awaitRunning();
      run.await("records pass", () -> run.collected().size() > 1000);
      gate.close(true);
      run.await(
          "the source waits",
          () ->
              stays.counters(run.job()).stream()
                  .anyMatch(counters -> counters.backPressuredMillis() > 100));
      gate.close(false);
      run.awaitEnd();
      assertExact(run, 200_000);
      assertBuffersAreBack(run, stays, between.host());
    }
  }

  @Test
  @Behaviour(
      "H2: a silent connection counts as broken after a time-out; a slow consumer or connection is"
          + " waited for")
  void aConnectionThatStandsStillForTooLongIsABrokenOne() throws Exception {
    Gate gate = new Gate();
    AtomicLong toHost = new AtomicLong();
    AtomicLong fromHost = new AtomicLong();
    try (DataPlane stays = FaultyProxy.host("127.0.0.1", MEMORY, STEADY);
        FaultyProxy between =
            FaultyProxy.start(
                MEMORY,
                STEADY,
                (towards, position, bytes) -> {
                  (towards ? toHost : fromHost).addAndGet(bytes.length);
                  return gate.pass(towards, position, bytes);
                })) {
      TestRun run = TestRun.start(numbers(100_000_000), stays, between.host()).awaitRunning();
      // A connection that is only being made would fail for another reason.
      run.await(
          "records pass in both directions",
          () -> toHost.get() > 10 * GREETED && fromHost.get() > 10 * GREETED);
      gate.close(true);
      run.await("both sides have heard", () -> run.count(TaskState.FAILED) >= 2);
      // Each has a connection to and one from the other, and notices one of them first.
      assertThat(run.failures())
          .anySatisfy(
              failure ->
                  assertThat(failure.message())
                      .contains("TaskManager " + between.host().dataAddress() + " broke")
                      .contains("no byte arrived from it for 6000 ms"))
          .anySatisfy(
              failure ->
                  assertThat(failure.message())
                      .contains("TaskManager " + stays.dataAddress() + " broke")
                      .contains("no byte arrived from it for 6000 ms"));
      run.cancel();
      run.awaitEnd();
      assertBuffersAreBack(run, stays, between.host());
      gate.close(false);
      assertStillWorks(stays, between.host());
    }
  }

  /** The wire's own thread answers, so that a consumer may take as long as it likes. */
  @Test
  @Behaviour(
      "H2: a silent connection counts as broken after a time-out; a slow consumer or connection is"
          + " waited for")
  void aConsumerThatStandsStillIsWaitedFor() throws Exception {
    CountDownLatch stuck = new CountDownLatch(1);
    String latch = Fixtures.share(stuck);
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 2, Fixtures.numbers(50_000));
    JobVertex sink =
        program.vertex(
            "sink",
            2,
            new OperatorSpec.Map(
                number -> {
                  Fixtures.shared(latch, CountDownLatch.class).await();
                  return "n" + number;
                }),
            Fixtures.collect());
    program.edge(source, sink, Partitioning.HASH, (Serializable) Fixtures.itself());
    try (DataPlane stays = FaultyProxy.host("127.0.0.1", MEMORY, IMPATIENT);
        FaultyProxy between = FaultyProxy.start(MEMORY, IMPATIENT, NONE)) {
      TestRun run = TestRun.start(program.build(), stays, between.host()).awaitRunning();
      run.await(
          "the source has waited for longer than a connection may be silent",
          () ->
              stays.counters(run.job()).stream()
                  .anyMatch(counters -> counters.backPressuredMillis() > 1000));
      assertThat(run.failures()).isEmpty();
      stuck.countDown();
      run.awaitEnd();
      assertExact(run, 50_000);
      assertBuffersAreBack(run, stays, between.host());
    }
  }

  @Test
  @Behaviour(
      "H2: a silent connection counts as broken after a time-out; a slow consumer or connection is"
          + " waited for")
  void aSlowConnectionDeliversEverything() throws Exception {
    try (DataPlane stays = FaultyProxy.host("127.0.0.1", MEMORY, PATIENT);
        FaultyProxy between =
            FaultyProxy.start(
                MEMORY,
                PATIENT,
                (toHost, position, bytes) -> {
                  java.util.concurrent.locks.LockSupport.parkNanos(500_000);
                  return bytes;
                })) {
      TestRun run = TestRun.start(numbers(RECORDS), stays, between.host()).awaitEnd();
      assertExact(run, RECORDS);
      assertBuffersAreBack(run, stays, between.host());
    }
  }
}
