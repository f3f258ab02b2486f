package io.millrace.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverCapabilities.Previous;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.process.ProcessSupervisor.Patience;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.WorkerReason.WorkerNotNeeded;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a process driver does with the workers of an earlier one, and at its own stop. */
class ProcessDriverRestartTest extends ProcessDriverTestBase {
  @Test
  @Behaviour(
      "D9: the process driver starts a worker under its own name, reports its end and finds it"
          + " again")
  void nextDriverTakesOverRunningWorkers() throws Exception {
    RecordedWorkerEvents before = new RecordedWorkerEvents();
    ProcessDriver first = driver(RUNS);
    start(first, before);
    first.request(1, SPEC);
    first.request(2, SPEC);
    first.request(3, SPEC);
    String one = before.next("started").worker();
    String two = before.next("started").worker();
    String dead = before.next("started").worker();
    awaitUp(one);
    awaitUp(two);
    awaitUp(dead);
    first.stop(new DriverTermination.Suspended()).get(30, TimeUnit.SECONDS);
    assertThat(living()).hasSize(3);
    process(dead).handle().orElseThrow().destroyForcibly();
    await(() -> living().size() == 2);

    RecordedWorkerEvents after = new RecordedWorkerEvents();
    ProcessDriver second = driver(RUNS);
    DriverCapabilities capabilities = start(second, after);
    assertThat(capabilities.previous()).containsExactlyInAnyOrder(previous(one), previous(two));
    assertThat(directory.resolve("workers").resolve(dead)).doesNotExist();

    process(one).handle().orElseThrow().destroyForcibly();
    RecordedWorkerEvents.Event ended = after.next("ended");
    assertThat(ended.worker()).isEqualTo(one);
    assertThat(ended.reason()).startsWith("its process is gone");

    second.request(1, SPEC);
    String fresh = after.next("started").worker();
    assertThat(fresh).isNotIn(one, two, dead);
    second.release(new WorkerId(two), new WorkerNotNeeded());
    assertThat(after.next("ended").worker()).isEqualTo(two);
    assertThat(before.left()).isEmpty();
  }

  @Test
  @Behaviour("D8: a worker of a previous attempt counts with the spec it was started with")
  void nextDriverReadsSpecsOfWorkers() throws Exception {
    WorkerSpec large =
        new WorkerSpec(new ResourceProfile(0.3, 7, 8, 9, 10, Map.of("fast gpu", 2L)), 1);
    RecordedWorkerEvents before = new RecordedWorkerEvents();
    ProcessDriver first = driver(RUNS);
    start(first, before);
    first.request(1, large);
    first.request(2, SPEC);
    String one = before.next("started").worker();
    String two = before.next("started").worker();
    awaitUp(one);
    awaitUp(two);
    first.stop(new DriverTermination.Suspended()).get(30, TimeUnit.SECONDS);
    Path spec = directory.resolve("workers").resolve(two).resolve("spec");
    Files.writeString(spec, "slots");

    assertThat(start(driver(RUNS), new RecordedWorkerEvents()).previous())
        .containsExactlyInAnyOrder(
            new Previous(new WorkerId(one), Optional.of(large)),
            new Previous(new WorkerId(two), Optional.empty()));
  }

  private static Previous previous(String worker) {
    return new Previous(new WorkerId(worker), Optional.of(SPEC));
  }

  @Test
  void findsWorkerWithoutPidFileByItsArgument() throws Exception {
    RecordedWorkerEvents events = new RecordedWorkerEvents();
    ProcessDriver first = driver(RUNS);
    start(first, events);
    first.request(1, SPEC);
    String worker = events.next("started").worker();
    awaitUp(worker);
    first.stop(new DriverTermination.Suspended()).get(30, TimeUnit.SECONDS);
    Path pid = directory.resolve("workers").resolve(worker).resolve("pid");
    Files.delete(pid);

    assertThat(start(driver(RUNS), new RecordedWorkerEvents()).previous())
        .containsExactly(previous(worker));
    assertThat(pid).exists();
  }

  @Test
  void ignoresIncompletePidFile() throws Exception {
    RecordedWorkerEvents events = new RecordedWorkerEvents();
    ProcessDriver first = driver(RUNS);
    start(first, events);
    first.request(1, SPEC);
    String worker = events.next("started").worker();
    awaitUp(worker);
    first.stop(new DriverTermination.Suspended()).get(30, TimeUnit.SECONDS);
    Files.writeString(directory.resolve("workers").resolve(worker).resolve("pid"), "1");
    assertThat(start(driver(RUNS), new RecordedWorkerEvents()).previous())
        .containsExactly(previous(worker));
  }

  @Test
  void ignoresLaterProcessWithSamePid() throws Exception {
    Process other = new ProcessBuilder("/bin/sh", "-c", "while :; do sleep 0.05; done").start();
    try {
      WorkerFiles files = new WorkerFiles(directory);
      WorkerId worker = new WorkerId("process-00000000-1");
      files.create(worker, SPEC);
      long hourEarlier = OsProcess.of(other.toHandle()).startedAt() - 3_600_000;
      files.record(worker, new OsProcess(other.pid(), hourEarlier));
      ProcessDriver driver = driver(RUNS);
      assertThat(start(driver, new RecordedWorkerEvents()).previous()).isEmpty();
      driver.release(worker, new WorkerNotNeeded());
      driver.stop(FINAL).get(30, TimeUnit.SECONDS);
      assertThat(other.isAlive()).isTrue();
    } finally {
      other.destroyForcibly();
    }
  }

  @Test
  void rejectsSecondDriverInSameDirectory() throws Exception {
    start(driver(RUNS), new RecordedWorkerEvents());
    ProcessDriver second =
        new ProcessDriver(directory, NODE, STARTABLE, (worker, spec, paths) -> shell(RUNS, paths));
    assertThatThrownBy(() -> second.start(new RecordedWorkerEvents()).get(30, TimeUnit.SECONDS))
        .hasMessageContaining("Another JobManager uses the worker directory " + directory);
  }

  @Test
  void restartsAfterStopWithoutEventsInBetween() throws Exception {
    RecordedWorkerEvents first = new RecordedWorkerEvents();
    ProcessDriver driver = driver(RUNS);
    start(driver, first);
    driver.request(1, SPEC);
    String worker = first.next("started").worker();
    awaitUp(worker);
    driver.stop(new DriverTermination.Suspended()).get(30, TimeUnit.SECONDS);

    RecordedWorkerEvents second = new RecordedWorkerEvents();
    assertThat(start(driver, second).previous()).containsExactly(previous(worker));
    driver.release(new WorkerId(worker), new WorkerNotNeeded());
    assertThat(second.next("ended").worker()).isEqualTo(worker);
    assertThat(first.left()).isEmpty();
  }

  @Test
  @Behaviour("D1: workers end with the cluster, not with a term")
  void finalStopEndsWorkersAndDeletesFiles() throws Exception {
    RecordedWorkerEvents events = new RecordedWorkerEvents();
    ProcessDriver driver =
        driver(
            (worker, spec, paths) ->
                shell(worker.value().endsWith("-1") ? IGNORES_SIGTERM : RUNS, paths),
            new Patience(Duration.ofSeconds(30), Duration.ofMillis(300)));
    start(driver, events);
    driver.request(1, SPEC);
    driver.request(2, SPEC);
    awaitUp(events.next("started").worker());
    awaitUp(events.next("started").worker());
    driver.stop(FINAL).get(30, TimeUnit.SECONDS);
    assertThat(living()).isEmpty();
    assertThat(directory.resolve("workers")).doesNotExist();
    assertThat(events.left()).isEmpty();
  }
}
