package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerEvents;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.WorkerReason.WorkerNotNeeded;
import io.millrace.protocol.text.ReasonText;
import io.millrace.rpc.manual.ManualEnv;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.ContainerLaunch;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole driver on virtual time over a {@link SimulatedYarn}. */
class YarnDriverSimulationTest {
  private static final int SEEDS = 60;
  private static final Configuration CONFIGURATION =
      Configuration.EMPTY
          .with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1728m")
          .with(TaskManagerOptions.NUM_TASK_SLOTS, 2)
          .with(YarnOptions.REQUEST_HEARTBEAT, "250 ms")
          .with(YarnOptions.HEARTBEAT, "5 s");
  private static final WorkerSpec SPEC = WorkerSpec.of(CONFIGURATION);
  private static final Reason NOT_NEEDED = new WorkerNotNeeded();
  private static final DriverTermination.Over OVER =
      new DriverTermination.Over(ApplicationStatus.SUCCEEDED, "Done.");

  private final ManualEnv env = new ManualEnv();
  private final Events events = new Events();
  private SimulatedYarn yarn = new SimulatedYarn(env, new Random(1), 100);

  /** Checks the order of the driver's events, and remembers the result of each request. */
  private static final class Events implements WorkerEvents {
    private final Map<Long, String> answers = new TreeMap<>();
    private final Map<Long, WorkerId> workers = new TreeMap<>();
    private final Map<WorkerId, String> ends = new LinkedHashMap<>();
    private final Set<WorkerId> alive = new LinkedHashSet<>();
    private final Map<WorkerId, String> draining = new LinkedHashMap<>();
    private final Map<String, String> unreliable = new LinkedHashMap<>();
    private final List<Throwable> broken = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private Optional<Reason> pending = Optional.empty();
    private int pendingReports;

    @Override
    public void started(long request, WorkerId worker) {
      answer(request, "started");
      workers.put(request, worker);
      if (ends.containsKey(worker) || !alive.add(worker)) {
        violations.add(worker + " is started twice");
      }
    }

    @Override
    public void failed(long request, Reason reason) {
      answer(request, ReasonText.of(reason));
    }

    private void answer(long request, String answer) {
      if (answers.put(request, answer) != null) {
        violations.add("request " + request + " is answered twice");
      }
    }

    @Override
    public void ended(WorkerId worker, Reason reason) {
      if (!alive.remove(worker)) {
        violations.add(worker + " ends and was not alive");
      }
      ends.put(worker, ReasonText.of(reason));
    }

    @Override
    public void waits(Optional<Reason> reason) {
      if (reason.isEmpty() && pending.isEmpty()) {
        violations.add("a report is withdrawn and there was none");
      }
      pending = reason;
      pendingReports++;
    }

    @Override
    public void draining(WorkerId worker, Reason reason, Duration within) {
      draining.put(worker, ReasonText.of(reason) + " within " + within);
    }

    @Override
    public void unreliable(String node, Reason reason, Duration time) {
      unreliable.put(node, ReasonText.of(reason));
    }

    @Override
    public void broken(Throwable cause) {
      broken.add(cause);
    }
  }

  // --- a quiet YARN

  @Test
  void requestBecomesAWorkerThatEndsAfterItsRelease() {
    YarnDriver driver = started();
    driver.request(1, SPEC);
    env.advanceUntil(Duration.ofSeconds(10), () -> events.workers.containsKey(1L));
    WorkerId worker = events.workers.get(1L);
    env.settle();
    assertThat(yarn.running()).extracting(ContainerId::toString).containsExactly(worker.value());
    assertThat(yarn.pending()).isEmpty();
    driver.release(worker, NOT_NEEDED);
    env.advanceUntil(Duration.ofSeconds(10), () -> events.ends.containsKey(worker));
    assertThat(events.ends.get(worker)).contains(ReasonText.of(NOT_NEEDED));
    stopsCleanly(driver);
  }

  @Test
  @Behaviour("D9: killed workers and lost nodes are reported with YARN's diagnostics")
  void lostNodeEndsItsWorkers() {
    YarnDriver driver = started();
    for (long request = 1; request <= 8; request++) {
      driver.request(request, SPEC);
    }
    env.advanceUntil(Duration.ofSeconds(20), () -> yarn.running().size() == 8);
    String host = yarn.hostOf(yarn.running().get(0));
    yarn.loseNode(host);
    env.advance(Duration.ofSeconds(6));
    assertThat(events.ends)
        .hasSize(2)
        .allSatisfy((worker, why) -> assertThat(why).contains("-100"));
    stopsCleanly(driver);
  }

  @Test
  @Behaviour("D9: containers of one size are one request with a count for YARN")
  void thousandsOfWorkersAreAFewRequestsForYarn() {
    int workers = 3_000;
    yarn = new SimulatedYarn(env, new Random(7), workers, 1_000);
    YarnDriver driver = started();
    for (long request = 1; request <= workers; request++) {
      driver.request(request, SPEC);
    }
    env.advanceUntil(Duration.ofMinutes(1), () -> yarn.running().size() == workers);
    assertThat(yarn.running().stream().map(yarn::hostOf).distinct()).hasSize(1_000);
    // Two batches, and their withdrawal when they are served.
    assertThat(yarn.sentRequests()).isLessThanOrEqualTo(4);
    env.advance(Duration.ofSeconds(30));
    assertThat(yarn.pending()).isEmpty();
    assertThat(yarn.containers()).as("no surplus").hasSize(workers);
    stopsCleanly(driver);
  }

  @Test
  void heartbeatsAreSlowExceptWhileContainersChange() {
    YarnDriver driver = started();
    env.advance(Duration.ofSeconds(60));
    int quiet = yarn.heartbeats().size();
    assertThat(quiet).isBetween(12, 14);
    driver.request(1, SPEC);
    env.settle();
    // The request goes to YARN without delay.
    assertThat(yarn.heartbeats()).hasSize(quiet + 1);
    env.advanceUntil(Duration.ofSeconds(10), () -> events.workers.containsKey(1L));
    int served = yarn.heartbeats().size();
    env.advance(ContainerAllocator.START_PERIOD);
    assertThat(yarn.heartbeats().size() - served).isBetween(38, 42);
    env.advance(Duration.ofSeconds(6));
    int later = yarn.heartbeats().size();
    env.advance(Duration.ofSeconds(60));
    assertThat(yarn.heartbeats().size() - later).isBetween(11, 13);
    stopsCleanly(driver);
  }

  @Test
  void slowHeartbeatsDoNotOverlap() {
    env.ioTime = Duration.ofSeconds(3);
    YarnDriver driver = driver();
    CompletableFuture<DriverCapabilities> start = driver.start(events);
    env.advance(Duration.ofSeconds(3));
    assertThat(start).isCompleted();
    driver.request(1, SPEC);
    env.advance(Duration.ofSeconds(60));
    for (int i = 1; i < yarn.heartbeats().size(); i++) {
      assertThat(yarn.heartbeats().get(i) - yarn.heartbeats().get(i - 1))
          .isGreaterThanOrEqualTo(Duration.ofSeconds(3).toNanos());
    }
    env.ioTime = Duration.ZERO;
    env.advance(Duration.ofSeconds(10));
    stopsCleanly(driver);
  }

  @Test
  @Behaviour(
      "D11: while containers are pending, the reason shows the queue, its usage, the free and"
          + " reserved room and the age of YARN's answer")
  void pendingContainersAreReportedUntilTheyAreServed() {
    yarn = new SimulatedYarn(env, new Random(3), 1);
    YarnDriver driver = started();
    driver.request(1, SPEC);
    driver.request(2, SPEC);
    env.advanceUntil(Duration.ofSeconds(20), () -> events.pending.isPresent());
    assertThat(ReasonText.of(events.pending.orElseThrow()))
        .contains("1 container of 1728 mb and 2 vcores")
        .contains("simulated status")
        .contains("left for this application now: 1024 mb and 1 vcore");
    int reports = events.pendingReports;
    env.advance(Duration.ofSeconds(100));
    assertThat(events.pendingReports - reports).isBetween(9, 11);
    assertThat(yarn.queries()).isEqualTo(events.pendingReports);
    driver.release(events.workers.values().iterator().next(), NOT_NEEDED);
    env.advanceUntil(Duration.ofSeconds(20), () -> events.pending.isEmpty());
    assertThat(events.answers).hasSize(2);
    stopsCleanly(driver);
  }

  @Test
  void blockedNodesAreSentToYarn() {
    YarnDriver driver = driver();
    CompletableFuture<DriverCapabilities> start = driver.start(events);
    // Before the registration has answered.
    driver.blocked(List.of("a", "b"));
    env.answer(start);
    assertThat(yarn.blocked()).containsExactlyInAnyOrder("a", "b");
    driver.blocked(List.of("b"));
    env.settle();
    assertThat(yarn.blocked()).containsExactly("b");
    stopsCleanly(driver);
  }

  // --- nodes and containers that are to go

  @Test
  @Behaviour("D9: workers on a node that YARN decommissions are drained")
  void workersOfADecommissionedNodeDrain() {
    YarnDriver driver = started();
    for (long request = 1; request <= 8; request++) {
      driver.request(request, SPEC);
    }
    env.advanceUntil(Duration.ofSeconds(20), () -> yarn.running().size() == 8);
    yarn.decommission("node1", 100);
    env.advance(Duration.ofSeconds(6));
    assertThat(events.draining)
        .hasSize(2)
        .allSatisfy(
            (worker, why) -> {
              assertThat(yarn.hostOf(ContainerId.fromString(worker.value()))).isEqualTo("node1");
              assertThat(why).isEqualTo("YARN decommissions its node node1:1. within PT1M20S");
            });
    stopsCleanly(driver);
  }

  @Test
  @Behaviour("D9: workers on a node that YARN decommissions are drained")
  void workerOfAnEarlierAttemptOnADecommissionedNodeDrains() {
    ContainerId leaving = yarn.startedBefore();
    ContainerId other = yarn.startedBefore();
    assertThat(yarn.hostOf(leaving)).isNotEqualTo(yarn.hostOf(other));
    yarn.decommissionedBefore(yarn.hostOf(leaving), 100);
    YarnDriver driver = started();
    env.advance(Duration.ofSeconds(6));
    assertThat(events.draining)
        .containsOnlyKeys(new WorkerId(leaving.toString()))
        .allSatisfy((worker, why) -> assertThat(why).contains("decommissions").endsWith("PT1M20S"));
    stopsCleanly(driver);
  }

  @Test
  @Behaviour("D9: a worker that YARN is going to pre-empt is released before")
  void announcedPreemptionIsReportedOnce() {
    YarnDriver driver = started();
    driver.request(1, SPEC);
    env.advanceUntil(Duration.ofSeconds(20), () -> yarn.running().size() == 1);
    yarn.preempt(yarn.running().get(0));
    env.advance(Duration.ofSeconds(20));
    assertThat(events.draining)
        .containsOnlyKeys(events.workers.get(1L))
        .allSatisfy(
            (worker, why) -> assertThat(why).contains("pre-empted by YARN").endsWith("PT0S"));
    stopsCleanly(driver);
  }

  @Test
  @Behaviour("D10: a node on which workers fail repeatedly is blocked for some time")
  void nodeWithRepeatedFailuresIsExcludedAndExplained() {
    YarnDriver driver = started();
    long request = 0;
    for (int failure = 1; failure <= 3; failure++) {
      assertThat(events.unreliable).isEmpty();
      for (boolean failed = false; !failed; ) {
        int running = yarn.running().size();
        driver.request(++request, SPEC);
        env.advanceUntil(Duration.ofSeconds(20), () -> yarn.running().size() > running);
        ContainerId last = yarn.running().get(running);
        failed = yarn.hostOf(last).equals("node2");
        if (failed) {
          yarn.complete(last, 1);
          env.advance(Duration.ofSeconds(1));
        }
      }
    }
    env.advance(Duration.ofSeconds(10));
    assertThat(events.unreliable)
        .containsOnlyKeys("node2")
        .containsEntry(
            "node2", "3 workers failed on it within 10 min (yarn.node-exclusion.failures).");
    stopsCleanly(driver);
  }

  // --- failures

  @Test
  void refusalFailsTheRequestsAndTheDriverGoesOn() {
    YarnDriver driver = started();
    yarn.failHeartbeat(
        new org.apache.hadoop.yarn.exceptions.InvalidResourceRequestException("no such label"));
    driver.request(1, SPEC);
    env.settle();
    assertThat(events.answers.get(1L)).contains("YARN refuses the container: no such label");
    driver.request(2, SPEC);
    env.advanceUntil(Duration.ofSeconds(10), () -> events.workers.containsKey(2L));
    assertThat(events.broken).isEmpty();
    stopsCleanly(driver);
  }

  @Test
  void newAttemptEndsTheDriver() {
    started();
    yarn.failHeartbeat(SimulatedYarn.superseded());
    env.advance(Duration.ofSeconds(10));
    assertThat(events.broken)
        .singleElement()
        .satisfies(cause -> assertThat(cause).hasMessageContaining("begun another one"));
    int heartbeats = yarn.heartbeats().size();
    env.advance(Duration.ofMinutes(1));
    assertThat(yarn.heartbeats()).hasSize(heartbeats);
  }

  @Test
  void lossOfTheResourceManagerEndsTheDriver() {
    started();
    yarn.failHeartbeat(new IOException("connection reset"));
    env.advance(Duration.ofSeconds(10));
    assertThat(events.broken)
        .singleElement()
        .satisfies(cause -> assertThat(cause).hasMessageContaining("connection reset"));
  }

  @Test
  void unknownResourceFailsTheRequest() {
    Configuration configuration =
        CONFIGURATION
            .with(io.millrace.core.config.ExternalResourceOptions.EXTERNAL_RESOURCE_LIST, "fpga")
            .with(
                io.millrace.core.config.ExternalResourceOptions.EXTERNAL_RESOURCE_AMOUNT.named(
                    "fpga"),
                1)
            .with(YarnOptions.EXTERNAL_RESOURCE_KEY.named("fpga"), "example.com/fpga");
    CompletableFuture<DriverCapabilities> start = driver(configuration).start(events);
    assertThatThrownBy(() -> env.answer(start)).hasMessageContaining("1 example.com/fpga");
  }

  @Test
  @Behaviour(
      "D9: a worker larger than YARN's largest container is refused with both numbers, and the"
          + " application fails")
  void workersThatCanNeverStartFailTheApplication() {
    YarnDriver driver = driver(CONFIGURATION.with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "9g"));
    CompletableFuture<DriverCapabilities> start = driver.start(events);
    assertThatThrownBy(() -> env.answer(start))
        .hasMessageContaining("9216 mb")
        .hasMessageContaining("8192 mb");
    assertThat(yarn.outcome().orElseThrow().status()).isEqualTo(ApplicationStatus.FAILED);
    assertThat(yarn.isClosed()).isTrue();
    assertThat(driver.stop(OVER)).isCompleted();
  }

  @Test
  void registrationFailureFailsTheStart() {
    YarnDriver driver =
        new YarnDriver(
            env,
            new SimulatedYarn(env, new Random(1), 1) {
              @Override
              public org.apache.hadoop.yarn.api.protocolrecords.RegisterApplicationMasterResponse
                  register(
                      ApplicationMasterAddress address,
                      java.util.function.BiConsumer<ContainerId, Throwable> callback) {
                throw new IllegalStateException("simulated");
              }
            },
            settings(CONFIGURATION),
            YarnDriverSimulationTest::launch);
    CompletableFuture<DriverCapabilities> start = driver.start(events);
    assertThatThrownBy(() -> env.answer(start)).hasMessageContaining("simulated");
    assertThat(driver.stop(OVER)).isCompleted();
  }

  // --- stop

  @Test
  @Behaviour(
      "D9: containers outlive a JobManager that is replaced, and the next attempt recovers them")
  void suspendedDriverLeavesItsWorkersToTheNextAttempt() {
    ContainerId before = yarn.startedBefore();
    YarnDriver driver = driver();
    DriverCapabilities capabilities = env.answer(driver.start(events));
    assertThat(capabilities.previous())
        .extracting(previous -> previous.worker().value())
        .containsExactly(before.toString());
    env.answer(driver.stop(new DriverTermination.Suspended()));
    assertThat(yarn.isClosed()).isTrue();
    assertThat(yarn.outcome()).isEmpty();
    assertThat(yarn.running()).containsExactly(before);
  }

  @Test
  void previousWorkerIsReportedWhenItEnds() {
    ContainerId before = yarn.startedBefore();
    YarnDriver driver = driver();
    env.answer(driver.start(events));
    WorkerId worker = new WorkerId(before.toString());
    events.alive.add(worker);
    yarn.complete(before, 137);
    env.advance(Duration.ofSeconds(6));
    assertThat(events.ends.get(worker)).contains("signal 9");
    stopsCleanly(driver);
  }

  @Test
  void stopEndsAfterItsTimeoutIfYarnDoesNotAnswer() {
    YarnDriver driver = started();
    env.ioTime = Duration.ofHours(1);
    CompletableFuture<Void> stopped = driver.stop(OVER);
    env.advance(ContainerAllocator.STOP_TIMEOUT);
    // Only the connections remain to be closed.
    env.ioTime = Duration.ZERO;
    assertThat(stopped).isNotCompleted();
    assertThat(yarn.isClosed()).isFalse();
    env.advance(Duration.ofHours(1));
    assertThat(stopped).isCompleted();
  }

  @Test
  void stopBeforeTheRegistrationIsAnsweredUnregisters() {
    YarnDriver driver = driver();
    CompletableFuture<DriverCapabilities> start = driver.start(events);
    CompletableFuture<Void> stopped = driver.stop(OVER);
    env.settle();
    assertThat(start).isCompleted();
    assertThat(stopped).isCompleted();
    assertThat(yarn.outcome()).contains(OVER);
  }

  @Test
  void driverThatWasNotStartedStopsAtOnce() {
    assertThat(driver().stop(OVER)).isCompleted();
    assertThatThrownBy(() -> driver().request(1, SPEC)).isInstanceOf(IllegalStateException.class);
    YarnDriver driver = started();
    assertThatThrownBy(() -> driver.start(events)).isInstanceOf(IllegalStateException.class);
  }

  // --- random runs

  /**
   * Requests, cancellations, releases, lost nodes and all failures of {@link SimulatedYarn} in any
   * order. In the end each request is answered or cancelled, and each container is in use by a
   * worker or has ended.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  @Behaviour(
      "D9: in simulated runs with random failures no worker starts twice, each YARN request is"
          + " answered or cancelled, and each container is in use or given back")
  void randomRunsKeepEveryInvariant(int batch) {
    SilencedLog.during(
        () -> {
          for (int seed = batch * SEEDS / 6; seed < (batch + 1) * SEEDS / 6; seed++) {
            new Run(seed).run();
          }
        });
  }

  @Test
  void sameSeedIsTheSameRun() {
    assertThat(new Run(42).run()).isEqualTo(new Run(42).run()).isNotEmpty();
  }

  /** One random run. */
  private static final class Run {
    private final long seed;
    private final Random random;
    private final ManualEnv env = new ManualEnv();
    private final Events events = new Events();
    private final SimulatedYarn yarn;
    private final YarnDriver driver;
    private final Set<Long> cancelled = new TreeSet<>();
    private final Set<WorkerId> released = new LinkedHashSet<>();
    private long requests;

    Run(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.yarn = new SimulatedYarn(env, new Random(seed + 1), 3 + random.nextInt(12));
      this.driver =
          new YarnDriver(env, yarn, settings(CONFIGURATION), YarnDriverSimulationTest::launch);
    }

    String run() {
      env.answer(driver.start(events));
      yarn.chances(
          new SimulatedYarn.Chances(
              chance(0.3),
              chance(0.2),
              chance(0.2),
              chance(0.2),
              chance(0.05),
              chance(0.02),
              chance(0.3)));
      for (int step = 0; step < 80; step++) {
        // Launches and heartbeats take time, so that other events occur in between.
        env.ioTime = Duration.ofMillis(random.nextBoolean() ? 0 : random.nextInt(500));
        step();
        env.advance(Duration.ofMillis(random.nextInt(800)));
        check();
      }
      quiesce();
      return events.answers + " " + events.ends + " " + yarn.heartbeats();
    }

    private double chance(double most) {
      return random.nextBoolean() ? 0 : random.nextDouble() * most;
    }

    private void step() {
      switch (random.nextInt(6)) {
        case 0, 1, 2 -> {
          for (int i = random.nextInt(4); i >= 0; i--) {
            driver.request(++requests, SPEC);
          }
        }
        case 3 -> {
          if (requests > 0) {
            long request = 1L + random.nextInt((int) requests);
            if (!events.answers.containsKey(request)) {
              cancelled.add(request);
            }
            driver.cancel(request);
          }
        }
        case 4 -> pick(events.alive).ifPresent(this::release);
        default -> {
          if (random.nextInt(5) == 0) {
            yarn.loseNode("node" + random.nextInt(4));
          }
        }
      }
    }

    private void release(WorkerId worker) {
      released.add(worker);
      driver.release(worker, NOT_NEEDED);
    }

    private Optional<WorkerId> pick(Set<WorkerId> workers) {
      List<WorkerId> all = new ArrayList<>(workers);
      return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
    }

    private void check() {
      assertThat(yarn.violations()).as("YARN, seed %d", seed).isEmpty();
      assertThat(events.violations).as("events, seed %d", seed).isEmpty();
      assertThat(events.broken).as("broken, seed %d", seed).isEmpty();
    }

    /** Without further failures everything that is pending is served, returned or ended. */
    private void quiesce() {
      yarn.chances(SimulatedYarn.Chances.NONE);
      env.ioTime = Duration.ZERO;
      for (int round = 0; round < 200 && !unanswered().isEmpty(); round++) {
        // Workers that live take the capacity that requests need.
        pick(events.alive).ifPresent(this::release);
        env.advance(Duration.ofSeconds(2));
      }
      env.advance(Duration.ofMinutes(1));
      check();
      assertThat(unanswered()).as("unanswered requests, seed %d", seed).isEmpty();
      assertThat(yarn.pending()).as("requests at YARN, seed %d", seed).isEmpty();
      assertThat(events.alive)
          .as("released workers, seed %d", seed)
          .doesNotContainAnyElementsOf(released);
      Set<String> inUse = new TreeSet<>();
      yarn.running().forEach(id -> inUse.add(id.toString()));
      Set<String> alive = new TreeSet<>();
      events.alive.forEach(worker -> alive.add(worker.value()));
      assertThat(inUse).as("containers in use, seed %d", seed).isEqualTo(alive);
      yarn.containers()
          .forEach(
              (id, state) ->
                  assertThat(state)
                      .as("%s, seed %d", id, seed)
                      .isEqualTo(
                          alive.contains(id.toString())
                              ? SimulatedYarn.State.STARTED
                              : SimulatedYarn.State.COMPLETED));
      assertThat(events.pending).as("report, seed %d", seed).isEmpty();
      env.answer(driver.stop(OVER));
      assertThat(yarn.outcome()).contains(OVER);
      assertThat(yarn.isClosed()).isTrue();
    }

    private Set<Long> unanswered() {
      Set<Long> open = new TreeSet<>();
      for (long request = 1; request <= requests; request++) {
        open.add(request);
      }
      open.removeAll(events.answers.keySet());
      open.removeAll(cancelled);
      return open;
    }
  }

  // --- helpers

  private static ContainerLaunch launch(WorkerId worker, WorkerSpec spec, String host) {
    return new ContainerLaunch(List.of(), Map.of("HOST", host), List.of("run", worker.value()));
  }

  private static YarnDriverSettings settings(Configuration configuration) {
    return new YarnDriverSettings(
        "application_1_0001",
        configuration,
        new ApplicationMasterAddress("host", 1, "http://host:2"));
  }

  private YarnDriver driver() {
    return driver(CONFIGURATION);
  }

  private YarnDriver driver(Configuration configuration) {
    return new YarnDriver(env, yarn, settings(configuration), YarnDriverSimulationTest::launch);
  }

  private YarnDriver started() {
    YarnDriver driver = driver();
    env.answer(driver.start(events));
    return driver;
  }

  private void stopsCleanly(YarnDriver driver) {
    env.answer(driver.stop(OVER));
    assertThat(yarn.outcome()).contains(OVER);
    assertThat(yarn.isClosed()).isTrue();
    assertThat(yarn.violations()).isEmpty();
    assertThat(events.violations).isEmpty();
    assertThat(events.broken).isEmpty();
  }
}
