package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.Idle;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The command {@code cleanup} beside a cluster that lives and one whose processes were killed. */
class CleanupIT {
  @RegisterExtension static final Shell SHELL = new Shell();
  private static TestingServer zooKeeper;

  @TempDir Path directory;

  @BeforeAll
  static void startServer() throws Exception {
    zooKeeper = new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, 500, 100), true);
  }

  @AfterAll
  static void stopServer() throws IOException {
    zooKeeper.close();
  }

  private List<String> options() {
    List<String> options = new ArrayList<>();
    for (String option :
        List.of(
            "high-availability.type=zookeeper",
            "high-availability.zookeeper.quorum=" + zooKeeper.getConnectString(),
            "high-availability.zookeeper.client.session-timeout=2 s",
            "high-availability.storageDir=" + directory.resolve("ha"))) {
      options.addAll(List.of("-D", option));
    }
    return options;
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

  private static List<String> nodes() throws Exception {
    try (CuratorFramework client =
        CuratorFrameworkFactory.newClient(zooKeeper.getConnectString(), new RetryOneTime(100))) {
      client.start();
      return client.getChildren().forPath("/millrace");
    }
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
        assertThat(nodes()).containsExactlyInAnyOrder("living", "killed");

        assertThat(String.join("\n", cleanup("--with-jobs").out()))
            .containsPattern("removed +files +" + directory.resolve("ha/killed"))
            .containsPattern("removed +cluster +/millrace/killed");
        assertThat(nodes()).containsExactly("living");
        assertThat(directory.resolve("ha/killed")).doesNotExist();
        assertThat(directory.resolve("ha/living")).isNotEmptyDirectory();
      }
      assertThat(living.listed(job)).contains("RUNNING");
    }
    assertThat(nodes()).isEmpty();
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
