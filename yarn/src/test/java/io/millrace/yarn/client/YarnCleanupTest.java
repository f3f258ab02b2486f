package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CleanupFinding;
import io.millrace.client.CleanupFinding.Verdict;
import io.millrace.client.CleanupRequest;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.HighAvailabilityOptions;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.MiniHadoop;
import io.millrace.yarn.YarnOptions;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On real daemons, with JobManagers that only register. */
@Tag("slow")
class YarnCleanupTest {
  private static final Duration LONG = Duration.ofHours(3);

  @TempDir private java.nio.file.Path directory;
  private final Path root = new Path("/cleanup-" + UUID.randomUUID());
  private final Path libraries = new Path(root, "libraries");
  private final Path recovery = new Path(root, "recovery");
  private MiniHadoop hadoop;
  private Configuration configuration;

  @BeforeEach
  void configure() {
    hadoop = MiniHadoop.running();
    configuration =
        Configuration.EMPTY
            .with(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, "1 gb")
            .with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1 gb")
            .with(YarnOptions.STAGING_DIR, new Path(root, "staging").toString())
            .with(YarnOptions.PROVIDED_LIB_DIRS, libraries.toString())
            .with(HighAvailabilityOptions.HA_STORAGE_PATH, recovery.toString())
            .with(StubYarnClient.VARIABLE, directory.resolve("orders").toString());
  }

  private YarnConnection connect() {
    Map<String, String> environment = new LinkedHashMap<>(hadoop.environment());
    environment.put("HOME", directory.toString());
    return YarnConnection.open(configuration, environment);
  }

  private Map<String, CleanupFinding> clean(boolean withJobs, boolean unreferenced) {
    Map<String, CleanupFinding> findings = new LinkedHashMap<>();
    try (YarnConnection connection = connect()) {
      connection
          .clean(new CleanupRequest(false, Duration.ofHours(2), withJobs, unreferenced))
          .forEach(finding -> findings.put(finding.item(), finding));
    }
    return findings;
  }

  private static void kept(CleanupFinding finding, String why) {
    assertThat(finding.verdict()).as("%s", finding).isEqualTo(Verdict.KEPT);
    assertThat(finding.reason()).contains(why);
  }

  private String uri(Path path) {
    return hadoop.files().makeQualified(path).toString();
  }

  private void age(Path path) throws IOException {
    long then = Instant.now().minus(LONG).toEpochMilli();
    hadoop.files().setTimes(path, then, hadoop.files().getFileStatus(path).isFile() ? then : -1);
  }

  private Path old(String name) throws IOException {
    Path file = new Path(libraries, name);
    hadoop.files().create(file).close();
    age(file);
    return file;
  }

  @Test
  @Behaviour("A8: `cleanup` removes old library archives, never one that a live application uses")
  @Behaviour("A8: `cleanup` removes recovery data of ended applications on request")
  void librariesAndRecoveryDataOfEndedApplicationsAreRemoved() throws Exception {
    EngineArchive engine = StubYarnClient.engine(directory.resolve("home"));
    String id;
    try (YarnConnection connection = connect()) {
      id = connection.deploy(DeploymentSpec.ofSession(configuration), engine, line -> {}).id();
    }
    Path used = new Path(libraries, engine.archiveName());
    age(used);
    Path older = old("millrace-0.0.1-0123456789abcdef.tar");
    Path draft = old(".millrace-0.0.1-0123456789abcdef.tar.0123456789abcdef");
    Path jar = old("addition.jar");
    Path newest = new Path(libraries, "millrace-0.0.2-fedcba9876543210.tar");
    hadoop.files().create(newest).close();
    Path data = new Path(recovery, id);
    hadoop.files().mkdirs(new Path(data, "store"));
    hadoop.files().mkdirs(new Path(recovery, "orders"));

    Map<String, CleanupFinding> first = clean(true, true);
    kept(first.get(uri(used)), "application " + id + " uses it");
    kept(first.get(uri(newest)), "the newest");
    assertThat(first.get(uri(older)).verdict()).isEqualTo(Verdict.REMOVED);
    assertThat(first.get(uri(draft)).verdict()).isEqualTo(Verdict.REMOVED);
    kept(first.get(uri(data)), "its application is RUNNING");
    assertThat(hadoop.files().exists(used)).isTrue();
    assertThat(hadoop.files().exists(older)).isFalse();
    assertThat(hadoop.files().exists(draft)).isFalse();

    try (YarnConnection connection = connect()) {
      connection.find(id).orElseThrow().kill("enough");
      assertThat(connection.find(id).orElseThrow().awaitEnd(Duration.ofMinutes(2))).isPresent();
    }
    kept(clean(true, false).get(uri(data)), "changed within --older-than");
    age(new Path(data, "store"));
    age(data);
    Map<String, CleanupFinding> careful = clean(false, false);
    kept(careful.get(uri(data)), "--with-jobs removes it");
    kept(careful.get(uri(used)), "--unreferenced removes it");

    Map<String, CleanupFinding> last = clean(true, true);
    assertThat(last.get(uri(data)).verdict()).isEqualTo(Verdict.REMOVED);
    assertThat(last.get(uri(used)).verdict()).isEqualTo(Verdict.REMOVED);
    assertThat(hadoop.files().exists(data)).isFalse();
    assertThat(hadoop.files().exists(used)).isFalse();
    assertThat(hadoop.files().exists(newest)).isTrue();
    assertThat(hadoop.files().exists(jar)).as("not one of ours").isTrue();
    assertThat(hadoop.files().exists(new Path(recovery, "orders"))).isTrue();
    assertThat(hadoop.client().getApplicationReport(ApplicationId.fromString(id))).isNotNull();
  }
}
