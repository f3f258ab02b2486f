package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.Idle;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code cleanup} beside a cluster that lives and one whose processes were killed. */
class CleanupIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  @RegisterExtension
  static final ZooKeeperServer ZOO_KEEPER = new ZooKeeperServer(Duration.ofSeconds(10));

  @TempDir Path directory;

  private List<String> options() {
    return ZOO_KEEPER.arguments(
        Duration.ofSeconds(2), "high-availability.storageDir=" + directory.resolve("ha"));
  }

  private Cluster start(String id) throws IOException {
    List<String> options = new ArrayList<>(options());
    options.addAll(List.of("-D", "high-availability.cluster-id=" + id));
    return SHELL.startCluster(options.toArray(String[]::new));
  }

  private Outcome cleanup(String... more) throws IOException {
    List<String> line = new ArrayList<>(List.of("cleanup", "--older-than", "0 ms"));
    line.addAll(options());
    line.addAll(List.of(more));
    return SHELL.millrace(line.toArray(String[]::new)).succeeded();
  }

  @Test
  @Behaviour("G2: `cleanup` removes what ended clusters left, and nothing that a living one uses")
  @Behaviour("G2: a cluster that was shut down leaves no nodes in ZooKeeper")
  void killedClusterIsRemovedAndTheLivingOneIsNot() throws Exception {
    Path jar = ProgramJar.of(directory, Idle.class);
    try (Cluster living = start("living")) {
      String job = living.submit(jar.toString());
      try (Cluster killed = start("killed")) {
        killed.submit(jar.toString());
        killed.kill("taskmanager-1");
        killed.kill("jobmanager");
        Wait.untilTrue(
            "the session of the killed JobManager has ended",
            () -> dryRun().contains("1 job has not ended"));
        assertThat(dryRun())
            .containsPattern("kept +cluster +/millrace/living +1 JobManager contends");

        assertThat(String.join("\n", cleanup().out())).contains("Removed 0, kept 2, failed 0.");
        assertThat(String.join("\n", cleanup("--with-jobs", "--dry-run").out()))
            .containsPattern("would remove +cluster +/millrace/killed");
        assertThat(ZOO_KEEPER.clusters()).containsExactlyInAnyOrder("living", "killed");

        assertThat(String.join("\n", cleanup("--with-jobs").out()))
            .containsPattern("removed +files +" + directory.resolve("ha/killed"))
            .containsPattern("removed +cluster +/millrace/killed");
        assertThat(ZOO_KEEPER.clusters()).containsExactly("living");
        assertThat(directory.resolve("ha/killed")).doesNotExist();
        assertThat(directory.resolve("ha/living")).isNotEmptyDirectory();
      }
      assertThat(living.listed(job)).contains("RUNNING");
    }
    assertThat(ZOO_KEEPER.clusters()).isEmpty();
    assertThat(directory.resolve("ha")).isEmptyDirectory();
  }

  private String dryRun() {
    try {
      return String.join("\n", cleanup("--dry-run").out());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void cleanupWithoutAPlaceToLookIsRefused() throws Exception {
    assertThat(SHELL.millrace("cleanup").refusedInOneLine())
        .contains("high-availability.type", "HADOOP_CONF_DIR");
    assertThat(SHELL.millrace("cleanup", "--older-than", "soon").refusedInOneLine())
        .contains("--older-than");
  }
}
