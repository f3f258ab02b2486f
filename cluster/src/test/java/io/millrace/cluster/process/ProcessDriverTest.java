package io.millrace.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.driver.DriverCapabilities;
import io.millrace.control.driver.DriverCapabilities.Previous;
import io.millrace.control.driver.DriverCapabilities.Startable;
import io.millrace.control.driver.DriverTermination;
import io.millrace.control.driver.WorkerSpec;
import io.millrace.control.driver.process.ProcessSupervisor.Patience;
import io.millrace.core.ResourceProfile;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.protocol.reason.WorkerReason.WorkerNotNeeded;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With shells in the place of TaskManagers. */
class ProcessDriverTest {
  private static final DriverTermination OVER =
      new DriverTermination.Over(ApplicationStatus.SUCCEEDED, "");

  private static final WorkerSpec SPEC =
      new WorkerSpec(new ResourceProfile(2, 1 << 20, 0, 1 << 20, 1 << 20), 2);
  private static final Startable STARTABLE = new Startable(SPEC, 4, "process.max-taskmanagers");

  private static final String NODE = "here";

  /** Touches `up` when it is past what it is to do, and lives until it is told to end. */
  private static final String LIVES = "touch up; while :; do sleep 0.05; done";

  private static final String IGNORES_SIGTERM = "trap '' TERM; " + LIVES;
  private static final Duration BOUND = Duration.ofMinutes(2);

  @TempDir private Path directory;
  private final List<ProcessDriver> serving = new ArrayList<>();

  @AfterEach
  void endAll() throws Exception {
    for (ProcessDriver driver : serving) {
      driver.stop(OVER).get(30, TimeUnit.SECONDS);
    }
    for (WorkerFiles.Living left : new WorkerFiles(directory).living()) {
      left.process().handle().ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  @Behaviour(
      "D9: the process driver starts a worker under its own name, reports its end and finds it"
          + " again")
  void startsAWorkerUnderANameOfItsOwnWithFilesOfItsOwn() throws Exception {
    RecordedWorkerEvents news = new RecordedWorkerEvents();
    ProcessDriver driver = driver(LIVES);
    DriverCapabilities supply = start(driver, news);
    assertThat(supply.startable()).contains(STARTABLE);
    assertThat(supply.previous()).isEmpty();

    driver.request(1, SPEC);
    driver.request(2, SPEC);
    String first = news.next("started").worker();
    String second = news.next("started").worker();
    assertThat(first).isNotEqualTo(second);
    awaitUp(first);
    awaitUp(second);
    assertThat(living()).containsExactlyInAnyOrder(first, second);
    assertThat(directory.resolve("workers").resolve(first).resolve("pid")).exists();
  }

  @Test
  void tellsTheNameBeforeTheProcessExists() throws Exception {
    List<Boolean> existed = new ArrayList<>();
    RecordedWorkerEvents news =
        new RecordedWorkerEvents(
            worker -> existed.add(OsProcess.marked(WorkerFiles.mark(worker)).isPresent()));
    ProcessDriver driver = driver(LIVES);
    start(driver, news);
    driver.request(1, SPEC);
    awaitUp(news.next("started").worker());
    assertThat(existed).containsExactly(false);
  }

  @Test
  void tellsWhyAWorkerDiedAtOnce() throws Exception {
    RecordedWorkerEvents news = new RecordedWorkerEvents();
    ProcessDriver driver = driver("echo \"Unrecognized VM option 'Foo'\" >&2; exit 1");
    start(driver, news);
    driver.request(7, SPEC);
    String worker = news.next("started").worker();
    RecordedWorkerEvents.Told ended = news.next("ended");
    assertThat(ended.worker()).isEqualTo(worker);
    assertThat(ended.reason()).isEqualTo("exit code 1: Unrecognized VM option 'Foo'.");
    assertThat(directory.resolve("workers").resolve(worker)).doesNotExist();
    assertThat(directory.resolve("log").resolve(worker + ".out")).exists();
  }

  @Test
  void keepsTheLogsOfTheNewestFailuresAndOfAllThatDidNotFail() throws Exception {
    RecordedWorkerEvents news = new RecordedWorkerEvents();
    Path fails = Files.createFile(directory.resolve("fails"));
    ProcessDriver driver =
        driver("echo words | tee \"$LOG.1\" >\"$LOG\"; test ! -e " + fails + "; exit $?");
    start(driver, news);
    List<String> failed = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      driver.request(i, SPEC);
      failed.add(news.next("started").worker());
      news.next("ended");
    }
    Files.delete(fails);
    driver.request(12, SPEC);
    String well = news.next("started").worker();
    news.next("ended");
    List<String> kept = new ArrayList<>(failed.subList(2, 12));
    kept.add(well);
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
  void runsWorkersInDirectoriesOfTheirOwnInWhichFilesOfJobsStay() throws Exception {
    RecordedWorkerEvents news = new RecordedWorkerEvents();
    Path writes = Files.createFile(directory.resolve("writes"));
    ProcessDriver driver = driver("test ! -e " + writes + " || echo words >relative");
    start(driver, news);
    driver.request(1, SPEC);
    String first = news.next("started").worker();
    news.next("ended");
    Files.delete(writes);
    driver.request(2, SPEC);
    String second = news.next("started").worker();
    news.next("ended");
    Path work = directory.resolve("work");
    assertThat(work.resolve(first).resolve("relative")).hasContent("words");
    await(() -> !Files.exists(work.resolve(second)));
    assertThat(workerDirectories()).isEmpty();
  }

  @Test
  void tellsTheLastLineOfTheLogWhereNothingWasPrinted() throws Exception {
    RecordedWorkerEvents news = new RecordedWorkerEvents();
    ProcessDriver driver = driver("echo one >\"$LOG\"; echo two >>\"$LOG\"; exit 5");
    start(driver, news);
    driver.request(1, SPEC);
    news.next("started");
    assertThat(news.next("ended").reason()).isEqualTo("exit code 5: two.");
  }

  @Test
  @Behaviour(
      "D9: the process driver starts a worker under its own name, reports its end and finds it"
          + " again")
  void tellsThatAWorkerWasKilled() throws Exception {
    RecordedWorkerEvents news = new RecordedWorkerEvents();
    ProcessDriver driver = driver(LIVES);
    start(driver, news);
    driver.request(1, SPEC);
    String worker = news.next("started").worker();
    awaitUp(worker);
    process(worker).handle().orElseThrow().destroyForcibly();
    assertThat(news.next("ended").reason()).isEqualTo("its process was killed by signal 9.");
  }

  @Test
  void commandThatDoesNotExistFailsTheRequest() throws Exception {
    RecordedWorkerEvents news = new RecordedWorkerEvents();
    ProcessDriver driver =
        driver((worker, spec, place) -> List.of(directory.resolve("no-java").toString()));
    start(driver, news);
    driver.request(3, SPEC);
    RecordedWorkerEvents.Told failed = news.next("failed");
    assertThat(failed.request()).isEqualTo(3);
    assertThat(failed.reason()).contains(directory.resolve("no-java") + " does not exist");
    assertThat(workerDirectories()).isEmpty();
  }

  @Test
  void programThatCannotBePreparedFailsTheRequest() throws Exception {
    RecordedWorkerEvents news = new RecordedWorkerEvents();
    ProcessDriver driver =
        driver(
            (worker, spec, place) -> {
              throw new IOException("No space left on device");
            });
    start(driver, news);
    driver.request(1, SPEC);
    assertThat(news.next("failed").reason()).contains("No space left on device");
    assertThat(workerDirectories()).isEmpty();
  }

  @Test
  @Behaviour("D8: requests that are no longer needed are cancelled before the worker starts")
  void cancelledRequestIsNotBegun() throws Exception {
    RecordedWorkerEvents news = new RecordedWorkerEvents();
    CountDownLatch cancelled = new CountDownLatch(1);
    ProcessDriver driver =
        driver(
            (worker, spec, place) -> {
              awaitLatch(cancelled);
              return shell(LIVES, place);
            });
    start(driver, news);
    driver.request(1, SPEC);
    driver.request(2, SPEC);
    driver.cancel(2);
    driver.request(3, SPEC);
    cancelled.countDown();
    assertThat(news.next("started").request()).isEqualTo(1);
    assertThat(news.next("started").request()).isEqualTo(3);
  }

  @Test
  @Behaviour(
      "D10: blocked nodes and workers get no new allocation until the block expires; running tasks"
          + " stay")
  void nothingIsStartedWhereTheMachineIsBlocked() throws Exception {
    RecordedWorkerEvents news = new RecordedWorkerEvents();
    ProcessDriver driver = driver(LIVES);
    start(driver, news);
    driver.blocked(List.of("elsewhere", NODE));
    driver.request(1, SPEC);
    assertThat(news.next("failed").reason()).contains("This machine is blocked");
    driver.blocked(List.of("elsewhere"));
    driver.request(2, SPEC);
    news.next("started");
  }

  @Test
  void releasedWorkerEndsAndItsFilesGo() throws Exception {
    RecordedWorkerEvents news = new RecordedWorkerEvents();
    ProcessDriver driver = driver(LIVES);
    start(driver, news);
    driver.request(1, SPEC);
    String worker = news.next("started").worker();
    awaitUp(worker);
    driver.release(new WorkerId(worker), new WorkerNotNeeded());
    assertThat(news.next("ended").reason())
        .isEqualTo("It was released: It is not needed any more.");
    assertThat(living()).isEmpty();
    assertThat(workerDirectories()).isEmpty();
    driver.release(new WorkerId(worker), new WorkerNotNeeded());
  }

  @Test
  void releaseKillsAWorkerThatDoesNotEnd() throws Exception {
    RecordedWorkerEvents news = new RecordedWorkerEvents();
    ProcessDriver driver =
        driver(
            (worker, spec, place) -> shell(IGNORES_SIGTERM, place),
            new Patience(Duration.ofMillis(300), Duration.ofSeconds(1)));
    start(driver, news);
    driver.request(1, SPEC);
    String worker = news.next("started").worker();
    awaitUp(worker);
    driver.release(new WorkerId(worker), new WorkerNotNeeded());
    news.next("ended");
    assertThat(living()).isEmpty();
  }

  @Test
  @Behaviour(
      "D9: the process driver starts a worker under its own name, reports its end and finds it"
          + " again")
  void nextDriverFindsLivingWorkersAndWatchesAndEndsThem() throws Exception {
    RecordedWorkerEvents before = new RecordedWorkerEvents();
    ProcessDriver first = driver(LIVES);
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
    ProcessDriver second = driver(LIVES);
    DriverCapabilities supply = start(second, after);
    assertThat(supply.previous()).containsExactlyInAnyOrder(previous(one), previous(two));
    assertThat(directory.resolve("workers").resolve(dead)).doesNotExist();

    process(one).handle().orElseThrow().destroyForcibly();
    RecordedWorkerEvents.Told ended = after.next("ended");
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
  void nextDriverKnowsWhatEachWorkerWasStartedAs() throws Exception {
    WorkerSpec large =
        new WorkerSpec(new ResourceProfile(0.3, 7, 8, 9, 10, Map.of("fast gpu", 2L)), 1);
    RecordedWorkerEvents before = new RecordedWorkerEvents();
    ProcessDriver first = driver(LIVES);
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

    assertThat(start(driver(LIVES), new RecordedWorkerEvents()).previous())
        .containsExactlyInAnyOrder(
            new Previous(new WorkerId(one), Optional.of(large)),
            new Previous(new WorkerId(two), Optional.empty()));
  }

  private static Previous previous(String worker) {
    return new Previous(new WorkerId(worker), Optional.of(SPEC));
  }

  @Test
  void workerWhosePidWasNeverWrittenIsFoundByItsName() throws Exception {
    RecordedWorkerEvents news = new RecordedWorkerEvents();
    ProcessDriver first = driver(LIVES);
    start(first, news);
    first.request(1, SPEC);
    String worker = news.next("started").worker();
    awaitUp(worker);
    first.stop(new DriverTermination.Suspended()).get(30, TimeUnit.SECONDS);
    Path pid = directory.resolve("workers").resolve(worker).resolve("pid");
    Files.delete(pid);

    assertThat(start(driver(LIVES), new RecordedWorkerEvents()).previous())
        .containsExactly(previous(worker));
    assertThat(pid).exists();
  }

  @Test
  void halfWrittenPidIsNotBelieved() throws Exception {
    RecordedWorkerEvents news = new RecordedWorkerEvents();
    ProcessDriver first = driver(LIVES);
    start(first, news);
    first.request(1, SPEC);
    String worker = news.next("started").worker();
    awaitUp(worker);
    first.stop(new DriverTermination.Suspended()).get(30, TimeUnit.SECONDS);
    Files.writeString(directory.resolve("workers").resolve(worker).resolve("pid"), "1");
    assertThat(start(driver(LIVES), new RecordedWorkerEvents()).previous())
        .containsExactly(previous(worker));
  }

  @Test
  void laterProcessWithTheSamePidIsNeitherFoundNorKilled() throws Exception {
    Process stranger = new ProcessBuilder("/bin/sh", "-c", "while :; do sleep 0.05; done").start();
    try {
      WorkerFiles files = new WorkerFiles(directory);
      WorkerId worker = new WorkerId("process-00000000-1");
      files.create(worker, SPEC);
      long hourEarlier = OsProcess.of(stranger.toHandle()).startedAt() - 3_600_000;
      files.record(worker, new OsProcess(stranger.pid(), hourEarlier));
      ProcessDriver driver = driver(LIVES);
      assertThat(start(driver, new RecordedWorkerEvents()).previous()).isEmpty();
      driver.release(worker, new WorkerNotNeeded());
      driver.stop(OVER).get(30, TimeUnit.SECONDS);
      assertThat(stranger.isAlive()).isTrue();
    } finally {
      stranger.destroyForcibly();
    }
  }

  @Test
  void secondDriverInTheSameDirectoryIsRefused() throws Exception {
    start(driver(LIVES), new RecordedWorkerEvents());
    ProcessDriver second =
        new ProcessDriver(directory, NODE, STARTABLE, (worker, spec, place) -> shell(LIVES, place));
    assertThatThrownBy(() -> second.start(new RecordedWorkerEvents()).get(30, TimeUnit.SECONDS))
        .hasMessageContaining("Another JobManager keeps its workers in " + directory);
  }

  @Test
  void servesAgainAfterAStopAndTellsNothingInBetween() throws Exception {
    RecordedWorkerEvents first = new RecordedWorkerEvents();
    ProcessDriver driver = driver(LIVES);
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
  void stopForGoodEndsAllOfThemAndRemovesTheirFiles() throws Exception {
    RecordedWorkerEvents news = new RecordedWorkerEvents();
    ProcessDriver driver =
        driver(
            (worker, spec, place) ->
                shell(worker.value().endsWith("-1") ? IGNORES_SIGTERM : LIVES, place),
            new Patience(Duration.ofSeconds(30), Duration.ofMillis(300)));
    start(driver, news);
    driver.request(1, SPEC);
    driver.request(2, SPEC);
    awaitUp(news.next("started").worker());
    awaitUp(news.next("started").worker());
    driver.stop(OVER).get(30, TimeUnit.SECONDS);
    assertThat(living()).isEmpty();
    assertThat(directory.resolve("workers")).doesNotExist();
    assertThat(news.left()).isEmpty();
  }

  private ProcessDriver driver(String script) {
    return driver((worker, spec, place) -> shell(script, place));
  }

  private ProcessDriver driver(WorkerProgram program) {
    return driver(program, new Patience(Duration.ofSeconds(10), Duration.ofSeconds(3)));
  }

  private ProcessDriver driver(WorkerProgram program, Patience patience) {
    ProcessDriver driver = new ProcessDriver(directory, NODE, STARTABLE, program, patience);
    serving.add(driver);
    return driver;
  }

  private static List<String> shell(String script, WorkerFiles.Place place) {
    return List.of("/bin/sh", "-c", "LOG=" + place.log() + "; " + script);
  }

  private static DriverCapabilities start(ProcessDriver driver, RecordedWorkerEvents news)
      throws Exception {
    return driver.start(news).get(30, TimeUnit.SECONDS);
  }

  private List<String> living() {
    try {
      return new WorkerFiles(directory).living().stream().map(one -> one.id().value()).toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private OsProcess process(String worker) throws IOException {
    Optional<OsProcess> process = new WorkerFiles(directory).process(new WorkerId(worker));
    return process.orElseThrow();
  }

  private List<String> workerDirectories() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("workers"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith(WorkerFiles.PREFIX))
          .toList();
    }
  }

  private static void awaitLatch(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException("Interrupted while waiting", e);
    }
  }

  private void awaitUp(String worker) throws InterruptedException {
    Path up = directory.resolve("work").resolve(worker).resolve("up");
    Path pid = directory.resolve("workers").resolve(worker).resolve("pid");
    await(() -> Files.exists(up) && Files.exists(pid));
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + BOUND.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("Not within " + BOUND);
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }
}
