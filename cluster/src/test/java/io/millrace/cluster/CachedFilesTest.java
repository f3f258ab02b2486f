package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.function.MapFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files that a program registers and its functions open. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class CachedFilesTest {
  private static final List<List<String>> READ = Collections.synchronizedList(new ArrayList<>());

  @TempDir Path directory;

  /** Emits the path of a cached file and the text of a file in it. */
  private record Reading(String name, String inside)
      implements MapFunction<Long, List<String>>, RichFunction {
    private static final long serialVersionUID = 1L;

    @Override
    public void open(RuntimeContext context) throws Exception {
      Path file = context.cachedFile(name);
      READ.add(
          List.of(
              file.toString(),
              Files.readString(inside.isEmpty() ? file : file.resolve(inside)),
              String.valueOf(Files.isExecutable(file))));
    }

    @Override
    public void close() {}

    @Override
    public List<String> map(Long number) {
      return List.of();
    }
  }

  private static List<List<String>> read(
      Function<StreamEnvironment, StreamEnvironment> register, String name, String inside)
      throws Exception {
    READ.clear();
    try (EmbeddedCluster cluster = new EmbeddedCluster(Configuration.EMPTY)) {
      ClusterJobExecutor executor =
          new ClusterJobExecutor(
              cluster, new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE);
      new ProgramContext(executor, Configuration.EMPTY)
          .during(
              () -> {
                StreamEnvironment env = register.apply(StreamEnvironment.current().parallelism(3));
                env.generate(number -> number, 3).map(new Reading(name, inside)).print();
                return env.execute();
              });
      List<List<String>> read = List.copyOf(READ);
      for (List<String> each : read) {
        Path copy = Path.of(each.get(0));
        while (Files.exists(copy)) { // It is deleted soon after the job has ended.
          LockSupport.parkNanos(1_000_000);
        }
      }
      return read;
    }
  }

  @Test
  @Behaviour("H1: functions open registered files by name; each TaskManager fetches them once")
  void allTasksReadOneCopyOfAFile() throws Exception {
    Path file = Files.writeString(directory.resolve("rates.csv"), "EUR 1");
    List<List<String>> read =
        read(env -> env.registerCachedFile(file.toString(), "rates", true), "rates", "");

    assertThat(read).hasSize(3);
    assertThat(read.get(0).get(0)).endsWith("rates.csv").isNotEqualTo(file.toString());
    assertThat(read.get(0).subList(1, 3)).containsExactly("EUR 1", "true");
    assertThat(read).containsOnly(read.get(0));
    assertThat(file).exists();
  }

  @Test
  void directoriesAndArchivesAreDirectories() throws Exception {
    Path tree = Files.createDirectories(directory.resolve("tree/deep/er"));
    Files.writeString(tree.resolve("leaf"), "a leaf");
    Files.createDirectories(directory.resolve("tree/empty"));
    assertThat(
            read(
                env -> env.registerCachedFile(directory.resolve("tree").toString(), "tree"),
                "tree",
                "deep/er/leaf"))
        .extracting(each -> each.get(1))
        .containsOnly("a leaf");

    Path zip = directory.resolve("leaves.zip");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
      out.putNextEntry(new ZipEntry("in/leaf"));
      out.write("another leaf".getBytes(StandardCharsets.UTF_8));
      out.closeEntry();
    }
    assertThat(
            read(env -> env.registerCachedArchive(zip.toString(), "leaves"), "leaves", "in/leaf"))
        .extracting(each -> each.get(1))
        .containsOnly("another leaf");
  }

  @Test
  void aFileThatIsNoArchiveFailsTheJobAndIsNamed() throws Exception {
    Path file = Files.writeString(directory.resolve("rates.csv"), "EUR 1");

    assertThatThrownBy(
            () -> read(env -> env.registerCachedArchive(file.toString(), "rates"), "rates", ""))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("The cached file 'rates' cannot be fetched")
        .hasMessageContaining("not a zip archive");
  }

  @Test
  void aNameThatWasNotRegisteredIsRefused() {
    assertThatThrownBy(() -> read(env -> env, "rates", ""))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("There is no cached file 'rates'")
        .hasMessageContaining("registerCachedFile");
  }
}
