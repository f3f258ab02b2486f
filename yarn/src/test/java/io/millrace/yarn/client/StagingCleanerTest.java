package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.CleanupRequest;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.MiniHadoop;
import io.millrace.yarn.YarnOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class StagingCleanerTest {
  private static final Duration LONG = Duration.ofHours(2);

  @TempDir private java.nio.file.Path directory;
  private final Path home = new Path("/staging/" + UUID.randomUUID());
  private MiniHadoop hadoop;
  private HadoopContext access;
  private Configuration configuration;
  private RestTokenStore tokens;
  private YarnResourceManagerClient yarn;
  private ApplicationId own;

  @BeforeEach
  void connect() {
    hadoop = MiniHadoop.running();
    access = new HadoopContext(hadoop.configuration(), hadoop.environment());
    yarn = YarnResourceManagerClient.of(hadoop.configuration());
    tokens = RestTokenStore.in(directory.resolve("tokens"));
    configuration =
        Configuration.EMPTY
            .with(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, "1 gb")
            .with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1 gb")
            .with(YarnOptions.STAGING_DIR, home.toString())
            .with(YarnOptions.PROVIDED_LIB_DIRS, "/libraries")
            .with(StubYarnClient.VARIABLE, directory.resolve("orders").toString());
    own = fresh();
  }

  @AfterEach
  void disconnect() {
    yarn.close();
  }

  private ApplicationId fresh() {
    return yarn.newApplication().getNewApplicationResponse().getApplicationId();
  }

  @Test
  @Behaviour(
      "A8: a later submission removes the files that killed clients and JobManagers left, and no"
          + " files in use")
  void filesThatWereNeverSubmittedAreRemovedAfterAnHour() throws IOException {
    ApplicationId dead = fresh();
    ApplicationId writing = fresh();
    leave(dead, LONG);
    leave(writing, LONG);
    touch(new Path(staged(writing), "archive"), Duration.ofMinutes(5));
    leave(own, LONG);
    // YARN was restarted since.
    ApplicationId before = ApplicationId.newInstance(own.getClusterTimestamp() - 1, 1);
    StagingDirectory.of(configuration, hadoop.configuration(), before.toString()).make();
    leave(before, LONG);
    touch(new Path(staged(before), "not-submitted-yet"), LONG);
    // A client was killed while it wrote this.
    Files.createFile(directory.resolve("tokens").resolve(dead.toString()).resolve("rest.new"));
    remove();
    assertThat(isStaged(dead)).isFalse();
    assertThat(isStaged(before)).isFalse();
    assertThat(tokens.find(dead.toString())).isEmpty();
    assertThat(isStaged(writing)).isTrue();
    assertThat(isStaged(own)).isTrue();
  }

  @Test
  @Behaviour(
      "A8: a later submission removes the files that killed clients and JobManagers left, and no"
          + " files in use")
  void filesOfAnotherYarnStay() throws IOException {
    ApplicationId elsewhere = ApplicationId.newInstance(own.getClusterTimestamp() - 1, 1);
    leave(elsewhere, LONG);
    Path notes = new Path(parent(), "notes");
    hadoop.files().mkdirs(notes);
    remove();
    assertThat(isStaged(elsewhere)).isTrue();
    assertThat(tokens.find(elsewhere.toString())).isPresent();
    assertThat(
            directory
                .resolve("tokens")
                .resolve(elsewhere.toString())
                .toFile()
                .setLastModified(Instant.now().minus(Duration.ofDays(8)).toEpochMilli()))
        .isTrue();
    remove();
    assertThat(tokens.find(elsewhere.toString())).isEmpty();
    assertThat(isStaged(elsewhere)).isTrue();
    assertThat(hadoop.files().exists(notes)).isTrue();
  }

  @Test
  @Behaviour(
      "A8: a later submission removes the files that killed clients and JobManagers left, and no"
          + " files in use")
  void filesOfEndedApplicationsAreRemovedAndThoseOfRunningOnesStay() throws Exception {
    YarnApplication application = deploy();
    ApplicationId id = ApplicationId.fromString(application.id());
    remove();
    assertThat(isStaged(id)).isTrue();
    application.kill("enough");
    assertThat(application.awaitEnd(Duration.ofSeconds(30))).isPresent();
    leave(id, Duration.ZERO);
    remove();
    assertThat(isStaged(id)).isFalse();
    assertThat(tokens.find(id.toString())).isEmpty();
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  @Behaviour("A8: each command on YARN removes files and tokens of ended applications of its user")
  void commandRemovesWhatAKilledApplicationHasLeft() throws Exception {
    YarnApplication application = deploy();
    ApplicationId id = ApplicationId.fromString(application.id());
    hadoop.client().killApplication(id);
    Map<String, String> environment = new LinkedHashMap<>(hadoop.environment());
    environment.put("HOME", directory.toString());
    RestTokenStore ofCommand = RestTokenStore.of(configuration, environment);
    ofCommand.keep(id.toString(), "token");
    assertThat(isStaged(id)).isTrue();

    // A command on a busy machine leaves the rest to the next one.
    while (isStaged(id) || ofCommand.find(id.toString()).isPresent()) {
      try (YarnConnection connection = YarnConnection.open(configuration, environment)) {
        connection.cleanInBackground();
      }
    }
  }

  @Test
  @Behaviour(
      "A8: `cleanup` removes staged files of ended applications, and says why it keeps others")
  void cleanupListsAllAndRemovesWhatHasEnded() throws Exception {
    YarnApplication application = deploy();
    ApplicationId id = ApplicationId.fromString(application.id());
    ApplicationId elsewhere = ApplicationId.newInstance(own.getClusterTimestamp() - 1, 1);
    leave(elsewhere, LONG);
    StagingDirectory.of(configuration, hadoop.configuration(), own.toString()).make();

    assertThat(clean(false))
        .hasSize(3)
        .anyMatch(kept -> kept.contains("KEPT") && kept.contains("its application is"))
        .anyMatch(kept -> kept.contains("KEPT") && kept.contains("another YARN"))
        .anyMatch(kept -> kept.contains("KEPT") && kept.contains("not submitted yet"));

    application.kill("enough");
    assertThat(application.awaitEnd(Duration.ofSeconds(30))).isPresent();
    leave(id, Duration.ZERO);
    assertThat(clean(true))
        .anyMatch(removed -> removed.contains("REMOVED " + staged(id).getName()));
    assertThat(isStaged(id)).as("a dry run removes nothing").isTrue();
    clean(false);
    assertThat(isStaged(id)).isFalse();
    assertThat(tokens.find(id.toString())).isEmpty();
    assertThat(isStaged(elsewhere)).isTrue();
    assertThat(isStaged(own)).isTrue();
  }

  private YarnApplication deploy() throws IOException {
    EngineArchive engine = StubYarnClient.engine(directory.resolve("home"));
    return new YarnClusterDeployer(access, yarn, engine, tokens, line -> {})
        .deploy(DeploymentSpec.ofSession(configuration));
  }

  private List<String> clean(boolean dryRun) {
    return new StagingCleaner(yarn, access, configuration, tokens)
        .clean(new CleanupRequest(dryRun, Duration.ofHours(1), false, false)).stream()
            .map(
                found ->
                    found.verdict()
                        + " "
                        + found.item().replaceFirst(".*/", "")
                        + " "
                        + found.reason())
            .toList();
  }

  private void remove() {
    new StagingCleaner(yarn, access, configuration, tokens).remove(Optional.of(own));
  }

  private void leave(ApplicationId id, Duration ago) throws IOException {
    FileSystem files = hadoop.files();
    Path file = new Path(staged(id), "archive");
    files.create(file).close();
    touch(file, ago);
    touch(staged(id), ago);
    tokens.keep(id.toString(), "token");
  }

  private void touch(Path path, Duration ago) throws IOException {
    hadoop.files().setTimes(path, Instant.now().minus(ago).toEpochMilli(), -1);
  }

  private Path staged(ApplicationId id) {
    return new Path(parent(), id.toString());
  }

  private Path parent() {
    return new Path(new Path(home, HadoopContext.userName()), ".millrace");
  }

  private boolean isStaged(ApplicationId id) throws IOException {
    return hadoop.files().exists(staged(id));
  }
}
