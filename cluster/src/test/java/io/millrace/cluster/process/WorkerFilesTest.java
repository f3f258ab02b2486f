package io.millrace.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.core.ResourceProfile;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.WorkerId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of workers, also damaged ones: a JobManager must start with whatever it finds. */
class WorkerFilesTest {
  private static final WorkerId ID = new WorkerId("process-0a-1");
  private static final WorkerSpec SPEC =
      new WorkerSpec(new ResourceProfile(2, 1 << 20, 1, 3, 1 << 30), 2);

  @TempDir private Path root;
  private WorkerFiles files;

  @BeforeEach
  void open() {
    files = new WorkerFiles(root);
  }

  private Path file(String name) {
    return root.resolve("workers").resolve(ID.value()).resolve(name);
  }

  private static WorkerSpec withExternal(String name, long count) {
    TreeMap<String, Long> external = new TreeMap<>();
    external.put(name, count);
    return new WorkerSpec(new ResourceProfile(1.5, 1, 2, 3, 4, external), 1);
  }

  @Test
  void specOfWorkerIsReadAsItWasWritten() throws IOException {
    files.create(ID, SPEC);
    assertThat(files.spec(ID)).contains(SPEC);
    for (WorkerSpec spec :
        List.of(
            withExternal("gpu", 7),
            withExternal("a name with blanks", 1),
            withExternal("größe", Long.MAX_VALUE))) {
      WorkerSpecFile.write(spec, file("spec"));
      assertThat(files.spec(ID)).contains(spec);
    }
  }

  @Test
  void missingSpecIsUnknown() throws IOException {
    files.create(ID, SPEC);
    Files.delete(file("spec"));
    assertThat(files.spec(ID)).isEmpty();
    assertThat(files.spec(new WorkerId("process-none"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "slots",
        "slots 1\n",
        "slots 1\ncpu 1\ntask-heap 1\ntask-off-heap 1\nmanaged 1\n",
        "cpu 1\nslots 1\ntask-heap 1\ntask-off-heap 1\nmanaged 1\nnetwork 1\n",
        "slots 1\ncpu 1\ntask-heap 1\ntask-off-heap 1\nmanaged 1\nnetwork\n",
        "slots 1\ncpu 1\ntask-heap 1\ntask-off-heap 1\nmanaged 1\nnetwork x\n",
        "slots 1\ncpu 1\ntask-heap 1\ntask-off-heap 1\nmanaged 1\nnetwork 1\ngpu\n",
        "slots 1\ncpu 1\ntask-heap 1\ntask-off-heap 1\nmanaged 1\nnetwork 1\ngpu 1.5\n",
        "slots 0\ncpu 1\ntask-heap 1\ntask-off-heap 1\nmanaged 1\nnetwork 1\n",
        "slots 99999999999\ncpu 1\ntask-heap 1\ntask-off-heap 1\nmanaged 1\nnetwork 1\n",
        "slots 1\ncpu -1\ntask-heap 1\ntask-off-heap 1\nmanaged 1\nnetwork 1\n",
        "slots 1\ncpu NaN\ntask-heap 1\ntask-off-heap 1\nmanaged 1\nnetwork 1\n",
        "slots 1\ncpu 1\ntask-heap -5\ntask-off-heap 1\nmanaged 1\nnetwork 1\n",
        "\n\n\n\n\n\n\n"
      })
  void damagedSpecIsUnknown(String content) throws IOException {
    files.create(ID, SPEC);
    Files.writeString(file("spec"), content);
    assertThat(files.spec(ID)).isEmpty();
  }

  @Test
  void specOfOtherBytesOrOfAnySizeIsUnknown() throws IOException {
    files.create(ID, SPEC);
    Files.write(file("spec"), new byte[] {(byte) 0xff, (byte) 0xfe, 0, 'x'});
    assertThat(files.spec(ID)).isEmpty();
    Files.write(file("spec"), new byte[2 << 20]);
    assertThat(files.spec(ID)).isEmpty();
  }

  /** A spec that a killed process has not written to its end is never read as another spec. */
  @Test
  void prefixOfASpecIsUnknown() throws IOException {
    files.create(ID, SPEC);
    byte[] whole = Files.readAllBytes(file("spec"));
    for (int length = 0; length < whole.length - 1; length++) {
      Files.write(file("spec"), java.util.Arrays.copyOf(whole, length));
      Optional<WorkerSpec> read = files.spec(ID);
      boolean cutsOnlyDigits = length > new String(whole, StandardCharsets.UTF_8).lastIndexOf(' ');
      if (!cutsOnlyDigits) {
        assertThat(read).as("%s of %s bytes", length, whole.length).isEmpty();
      }
    }
  }

  @Test
  void damagedSpecFilesNeverFail() throws IOException {
    files.create(ID, SPEC);
    byte[] whole = Files.readAllBytes(file("spec"));
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 500; i++) {
      byte[] damaged = whole.clone();
      for (int change = random.nextInt(4); change >= 0; change--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      }
      Files.write(file("spec"), damaged);
      files.spec(ID).ifPresent(spec -> assertThat(spec.slots()).as("seed %s", seed).isPositive());
    }
  }

  @Test
  void damagedPidFileDoesNotHideTheWorker() throws Exception {
    files.create(ID, SPEC);
    Process process =
        new ProcessBuilder("/bin/sh", "-c", "sleep 600 & wait", WorkerFiles.idArgument(ID)).start();
    try {
      for (byte[] content :
          List.of(
              new byte[] {(byte) 0xc3, (byte) 0x28, (byte) 0xff},
              new byte[3 << 20],
              "12 34".getBytes(StandardCharsets.UTF_8),
              "1 2 3\n".getBytes(StandardCharsets.UTF_8),
              "-1 -1\n".getBytes(StandardCharsets.UTF_8),
              (process.pid() + " 1\n").getBytes(StandardCharsets.UTF_8),
              (ProcessHandle.current().pid() + " 0\n").getBytes(StandardCharsets.UTF_8))) {
        Files.write(file("pid"), content);
        assertThat(files.process(ID).map(OsProcess::pid)).contains(process.pid());
      }
      assertThat(files.living()).extracting(WorkerFiles.Living::id).containsExactly(ID);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    assertThat(files.living()).isEmpty();
    assertThat(files.known()).containsExactly(ID);
  }

  /** Before it starts a program, a new process has the arguments of its parent. */
  @Test
  void copyOfAProcessIsNotTheProcess() throws Exception {
    files.create(ID, SPEC);
    String argument = WorkerFiles.idArgument(ID);
    Process process =
        new ProcessBuilder("/bin/sh", "-c", "(sleep 60; :) & echo $!; wait", "sh", argument)
            .start();
    try {
      String copy = process.inputReader().readLine();
      assertThat(ProcessHandle.of(Long.parseLong(copy))).isPresent();
      assertThat(OsProcess.withArgument(argument::equals).keySet())
          .extracting(OsProcess::pid)
          .containsExactly(process.pid());
      assertThat(files.process(ID).map(OsProcess::pid)).contains(process.pid());
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
  }

  @Test
  void recordedProcessIsReplaced() throws IOException {
    files.create(ID, SPEC);
    files.record(ID, new OsProcess(1, 2));
    files.record(ID, new OsProcess(3, 4));
    assertThat(file("pid")).hasContent("3 4\n");
    assertThat(file("pid.new")).doesNotExist();
  }

  @Test
  void onlyDirectoriesOfWorkersAreKnown() throws IOException {
    assertThat(files.known()).isEmpty();
    assertThat(files.living()).isEmpty();
    files.create(new WorkerId("process-b"), SPEC);
    files.create(new WorkerId("process-a"), SPEC);
    Files.writeString(root.resolve("workers").resolve("lock"), "");
    Files.createDirectory(root.resolve("workers").resolve("other"));
    assertThat(files.known()).containsExactly(new WorkerId("process-a"), new WorkerId("process-b"));
  }

  @Test
  void filesOfWorkersAreReadableByTheirOwnerOnly() throws IOException {
    WorkerFiles.WorkerPaths paths = files.create(ID, SPEC);
    for (Path directory :
        List.of(
            paths.directory(), paths.work(), paths.log().getParent(), root.resolve("workers"))) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
          .as(directory.toString())
          .isEqualTo("rwx------");
    }
    assertThatThrownBy(() -> files.create(ID, SPEC)).isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  void removedWorkerLeavesItsLogsAndFilesOfJobs() throws IOException {
    WorkerFiles.WorkerPaths paths = files.create(ID, SPEC);
    Files.writeString(paths.log(), "log");
    Files.writeString(paths.output(), "out");
    Files.createDirectories(paths.work().resolve("empty").resolve("deeper"));
    Files.writeString(paths.work().resolve("core"), "dump");
    files.remove(ID);
    assertThat(paths.directory()).doesNotExist();
    assertThat(paths.work().resolve("core")).exists();
    assertThat(paths.work().resolve("empty")).doesNotExist();
    assertThat(paths.log()).exists();
    files.removeLogs(ID);
    assertThat(paths.log()).doesNotExist();
    assertThat(paths.output()).doesNotExist();
  }

  /** A user may delete logs while workers run. */
  @Test
  void workersAreRemovedWithoutALogDirectory() throws IOException {
    WorkerFiles.WorkerPaths paths = files.create(ID, SPEC);
    Files.delete(paths.log().getParent());
    files.remove(ID);
    files.removeLogs(ID);
    assertThat(files.known()).isEmpty();
  }

  @Test
  void removalOfAnUnknownWorkerHasNoEffect() throws IOException {
    files.create(ID, SPEC);
    files.remove(new WorkerId("process-other"));
    files.removeLogs(new WorkerId("process-other"));
    assertThat(files.known()).containsExactly(ID);
  }

  @Test
  void logsOfTheOldestWorkersAreDeleted() throws IOException {
    WorkerId alive = new WorkerId("process-000");
    WorkerFiles.WorkerPaths kept = files.create(alive, SPEC);
    Files.writeString(kept.log(), "of a running worker");
    Files.setLastModifiedTime(kept.log(), FileTime.fromMillis(0));
    List<Path> logs = new ArrayList<>();
    for (int i = 1; i <= 60; i++) {
      WorkerFiles.WorkerPaths paths = files.paths(new WorkerId("process-%03d".formatted(i)));
      Files.writeString(paths.log(), "log");
      Files.writeString(Path.of(paths.log() + ".1"), "rotated");
      Files.setLastModifiedTime(paths.log(), FileTime.fromMillis(i * 1000L));
      Files.setLastModifiedTime(Path.of(paths.log() + ".1"), FileTime.fromMillis(i * 1000L));
      logs.add(paths.log());
    }
    Path foreign = kept.log().resolveSibling("notes.txt");
    Files.writeString(foreign, "of a user");
    files.remove(new WorkerId("process-none"));
    assertThat(kept.log()).exists();
    assertThat(foreign).exists();
    for (int i = 0; i < 60; i++) {
      assertThat(Files.exists(logs.get(i))).as("log %s", i).isEqualTo(i >= 10);
      assertThat(Files.exists(Path.of(logs.get(i) + ".1"))).isEqualTo(i >= 10);
    }
  }

  @Test
  void removalOfAllWorkersKeepsLogsAndFilesOfJobs() throws IOException {
    WorkerFiles.WorkerPaths paths = files.create(ID, SPEC);
    Files.writeString(paths.work().resolve("result"), "of a job");
    Files.writeString(paths.log(), "log");
    files.create(new WorkerId("process-2"), SPEC);
    files.removeAll();
    assertThat(files.known()).isEmpty();
    assertThat(paths.work().resolve("result")).exists();
    assertThat(paths.log()).exists();
    try (Stream<Path> work = Files.list(root.resolve("work"))) {
      assertThat(work).containsExactly(paths.work());
    }
    files.removeAll();
  }

  /** A link out of the directory is no directory of a worker. */
  @Test
  void emptyDirectoriesBehindALinkStay() throws IOException {
    Path outside = Files.createDirectories(root.resolve("outside").resolve("empty"));
    Path tree = Files.createDirectories(root.resolve("tree").resolve("a").resolve("b"));
    Files.createSymbolicLink(root.resolve("tree").resolve("link"), root.resolve("outside"));
    WorkerFiles.deleteEmptyDirectories(root.resolve("tree"));
    assertThat(outside).exists();
    assertThat(tree).doesNotExist();
    assertThat(root.resolve("tree").resolve("link")).exists();
    WorkerFiles.deleteEmptyDirectories(root.resolve("tree").resolve("link"));
    assertThat(outside).exists();
    WorkerFiles.deleteEmptyDirectories(root.resolve("absent"));
  }

  @ParameterizedTest
  @CsvSource({
    "'1 2\n', true",
    "' 1 2\n', true",
    "'1 2', false",
    "'1\n', false",
    "'1  2\n', false",
    "'a 2\n', false",
    "'1 b\n', false",
    "'99999999999999999999 1\n', false",
    "'', false"
  })
  void recordOfAProcessIsOneCompleteLine(String line, boolean valid) {
    assertThat(OsProcess.parse(line).isPresent()).isEqualTo(valid);
  }

  @Test
  void processIsIdentifiedByPidAndStart() {
    OsProcess own = OsProcess.of(ProcessHandle.current());
    assertThat(own.isAlive()).isTrue();
    assertThat(OsProcess.parse(own.toLine())).contains(own);
    assertThat(new OsProcess(own.pid(), 0).isAlive()).isTrue();
    assertThat(new OsProcess(own.pid(), own.startedAt() - 1_500).isAlive()).isTrue();
    assertThat(new OsProcess(own.pid(), own.startedAt() + 3_000).isAlive()).isFalse();
    assertThat(new OsProcess(Integer.MAX_VALUE, 0).isAlive()).isFalse();
  }

  @Test
  void endedProcessIsNotAlive() throws Exception {
    Process process = new ProcessBuilder("/bin/sh", "-c", "read x").start();
    OsProcess identity = OsProcess.of(process.toHandle());
    assertThat(identity.isAlive()).isTrue();
    process.getOutputStream().close();
    process.waitFor();
    assertThat(identity.isAlive()).isFalse();
    assertThat(identity.handle()).isEmpty();
  }

  @Test
  void directoryOfWorkersIsLockedOnce() throws IOException {
    DirectoryLock first = DirectoryLock.take(root);
    assertThatThrownBy(() -> DirectoryLock.take(root))
        .isInstanceOfSatisfying(
            MillraceException.class,
            refused -> assertThat(refused.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining("process.directory");
    first.release();
    DirectoryLock.take(root).release();
    Path file = Files.writeString(root.resolve("file"), "");
    assertThatThrownBy(() -> DirectoryLock.take(file))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("cannot write its files to " + file);
  }
}
