package io.millrace.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.process.ProcessSupervisor.Patience;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.WorkerReason.WorkerNotNeeded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Requests, exits and releases of workers of one process driver. */
class ProcessDriverTest extends ProcessDriverTestBase {
  @Test
  @Behaviour(
      "D9: the process driver starts a worker under its own name, reports its end and finds it"
          + " again")
  void startsWorkersWithUniqueNamesAndFiles() throws Exception {
    RecordedWorkerEvents events = new RecordedWorkerEvents();
    ProcessDriver driver = driver(RUNS);
    DriverCapabilities capabilities = start(driver, events);
    assertThat(capabilities.startable()).contains(STARTABLE);
    assertThat(capabilities.previous()).isEmpty();

    driver.request(1, SPEC);
    driver.request(2, SPEC);
    String first = events.next("started").worker();
    String second = events.next("started").worker();
    assertThat(first).isNotEqualTo(second);
    awaitUp(first);
    awaitUp(second);
    assertThat(living()).containsExactlyInAnyOrder(first, second);
    assertThat(directory.resolve("workers").resolve(first).resolve("pid")).exists();
  }

  @Test
  void reportsNameBeforeProcessExists() throws Exception {
    List<Boolean> existed = new ArrayList<>();
    RecordedWorkerEvents events =
        new RecordedWorkerEvents(
            worker -> existed.add(OsProcess.marked(WorkerFiles.idArgument(worker)).isPresent()));
    ProcessDriver driver = driver(RUNS);
    start(driver, events);
    driver.request(1, SPEC);
    awaitUp(events.next("started").worker());
    assertThat(existed).containsExactly(false);
  }

  @Test
  void reportsOutputOfFailedWorker() throws Exception {
    RecordedWorkerEvents events = new RecordedWorkerEvents();
    ProcessDriver driver = driver("echo \"Unrecognized VM option 'Foo'\" >&2; exit 1");
    start(driver, events);
    driver.request(7, SPEC);
    String worker = events.next("started").worker();
    RecordedWorkerEvents.Event ended = events.next("ended");
    assertThat(ended.worker()).isEqualTo(worker);
    assertThat(ended.reason()).isEqualTo("exit code 1: Unrecognized VM option 'Foo'.");
    assertThat(directory.resolve("workers").resolve(worker)).doesNotExist();
    assertThat(directory.resolve("log").resolve(worker + ".out")).exists();
  }

  @Test
  void keepsLogsOfNewestFailuresAndOfOtherWorkers() throws Exception {
    RecordedWorkerEvents events = new RecordedWorkerEvents();
    Path fails = Files.createFile(directory.resolve("fails"));
    ProcessDriver driver =
        driver("echo words | tee \"$LOG.1\" >\"$LOG\"; test ! -e " + fails + "; exit $?");
    start(driver, events);
    List<String> failed = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      driver.request(i, SPEC);
      failed.add(events.next("started").worker());
      events.next("ended");
    }
    Files.delete(fails);
    driver.request(12, SPEC);
    String successful = events.next("started").worker();
    events.next("ended");
    List<String> kept = new ArrayList<>(failed.subList(2, 12));
    kept.add(successful);
    assertThat(logs(".log")).containsExactlyInAnyOrderElementsOf(kept);
    assertThat(logs(".log.1")).containsExactlyInAnyOrderElementsOf(kept);
    assertThat(logs(".out")).containsExactlyInAnyOrderElementsOf(kept);
  }

  private List<String> logs(String ending) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("log"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(ending))
          .map(name -> name.substring(0, name.length() - ending.length()))
          .toList();
    }
  }

  @Test
  void workingDirectoriesKeepFilesOfJobs() throws Exception {
    RecordedWorkerEvents events = new RecordedWorkerEvents();
    Path writes = Files.createFile(directory.resolve("writes"));
    ProcessDriver driver = driver("test ! -e " + writes + " || echo words >relative");
    start(driver, events);
    driver.request(1, SPEC);
    String first = events.next("started").worker();
    events.next("ended");
    Files.delete(writes);
    driver.request(2, SPEC);
    String second = events.next("started").worker();
    events.next("ended");
    Path work = directory.resolve("work");
    assertThat(work.resolve(first).resolve("relative")).hasContent("words");
    await(() -> !Files.exists(work.resolve(second)));
    assertThat(workerDirectories()).isEmpty();
  }

  @Test
  void reportsLastLineOfLogWithoutOutput() throws Exception {
    RecordedWorkerEvents events = new RecordedWorkerEvents();
    ProcessDriver driver = driver("echo one >\"$LOG\"; echo two >>\"$LOG\"; exit 5");
    start(driver, events);
    driver.request(1, SPEC);
    events.next("started");
    assertThat(events.next("ended").reason()).isEqualTo("exit code 5: two.");
  }

  @Test
  @Behaviour(
      "D9: the process driver starts a worker under its own name, reports its end and finds it"
          + " again")
  void reportsSignalOfKilledWorker() throws Exception {
    RecordedWorkerEvents events = new RecordedWorkerEvents();
    ProcessDriver driver = driver(RUNS);
    start(driver, events);
    driver.request(1, SPEC);
    String worker = events.next("started").worker();
    awaitUp(worker);
    process(worker).handle().orElseThrow().destroyForcibly();
    assertThat(events.next("ended").reason()).isEqualTo("its process was killed by signal 9.");
  }

  @Test
  void missingCommandFailsRequest() throws Exception {
    RecordedWorkerEvents events = new RecordedWorkerEvents();
    ProcessDriver driver =
        driver((worker, spec, paths) -> List.of(directory.resolve("no-java").toString()));
    start(driver, events);
    driver.request(3, SPEC);
    RecordedWorkerEvents.Event failed = events.next("failed");
    assertThat(failed.request()).isEqualTo(3);
    assertThat(failed.reason()).contains(directory.resolve("no-java") + " does not exist");
    assertThat(workerDirectories()).isEmpty();
  }

  @Test
  void failedPreparationFailsRequest() throws Exception {
    RecordedWorkerEvents events = new RecordedWorkerEvents();
    ProcessDriver driver =
        driver(
            (worker, spec, paths) -> {
              throw new IOException("No space left on device");
            });
    start(driver, events);
    driver.request(1, SPEC);
    assertThat(events.next("failed").reason()).contains("No space left on device");
    assertThat(workerDirectories()).isEmpty();
  }

  @Test
  @Behaviour("D8: requests that are no longer needed are cancelled before the worker starts")
  void cancelledRequestStartsNoWorker() throws Exception {
    RecordedWorkerEvents events = new RecordedWorkerEvents();
    CountDownLatch cancelled = new CountDownLatch(1);
    ProcessDriver driver =
        driver(
            (worker, spec, paths) -> {
              awaitLatch(cancelled);
              return shell(RUNS, paths);
            });
    start(driver, events);
    driver.request(1, SPEC);
    driver.request(2, SPEC);
    driver.cancel(2);
    driver.request(3, SPEC);
    cancelled.countDown();
    assertThat(events.next("started").request()).isEqualTo(1);
    assertThat(events.next("started").request()).isEqualTo(3);
  }

  @Test
  @Behaviour(
      "D10: blocked nodes and workers get no new allocation until the block expires; running tasks"
          + " stay")
  void blockedMachineStartsNoWorker() throws Exception {
    RecordedWorkerEvents events = new RecordedWorkerEvents();
    ProcessDriver driver = driver(RUNS);
    start(driver, events);
    driver.blocked(List.of("elsewhere", NODE));
    driver.request(1, SPEC);
    assertThat(events.next("failed").reason()).contains("This machine is blocked");
    driver.blocked(List.of("elsewhere"));
    driver.request(2, SPEC);
    events.next("started");
  }

  @Test
  void releasedWorkerEndsAndItsFilesAreDeleted() throws Exception {
    RecordedWorkerEvents events = new RecordedWorkerEvents();
    ProcessDriver driver = driver(RUNS);
    start(driver, events);
    driver.request(1, SPEC);
    String worker = events.next("started").worker();
    awaitUp(worker);
    driver.release(new WorkerId(worker), new WorkerNotNeeded());
    assertThat(events.next("ended").reason())
        .isEqualTo("It was released: It is not needed any more.");
    assertThat(living()).isEmpty();
    assertThat(workerDirectories()).isEmpty();
    driver.release(new WorkerId(worker), new WorkerNotNeeded());
  }

  @Test
  void releaseKillsWorkerThatIgnoresSigterm() throws Exception {
    RecordedWorkerEvents events = new RecordedWorkerEvents();
    ProcessDriver driver =
        driver(
            (worker, spec, paths) -> shell(IGNORES_SIGTERM, paths),
            new Patience(Duration.ofMillis(300), Duration.ofSeconds(1)));
    start(driver, events);
    driver.request(1, SPEC);
    String worker = events.next("started").worker();
    awaitUp(worker);
    driver.release(new WorkerId(worker), new WorkerNotNeeded());
    events.next("ended");
    assertThat(living()).isEmpty();
  }
}
