package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.client.RunningProgram.Outcome;
import io.millrace.client.Session;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.MemoryOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.ApplicationStatus;
import io.millrace.yarn.MiniHadoop;
import io.millrace.yarn.YarnOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On real daemons, with a JobManager that registers at YARN and does not listen. */
@Tag("slow")
class YarnSessionTest {
  @TempDir static Path home;

  @TempDir private Path directory;
  private final List<String> report = new ArrayList<>();
  private final List<String> questions = new ArrayList<>();
  private MiniHadoop hadoop;
  private Configuration configuration;
  private String id;

  @BeforeEach
  void start() throws IOException {
    hadoop = MiniHadoop.running();
    configuration =
        Configuration.EMPTY
            .with(MemoryOptions.JOB_MANAGER_PROCESS_MEMORY, "1 gb")
            .with(MemoryOptions.TASK_MANAGER_PROCESS_MEMORY, "1 gb")
            .with(YarnOptions.STAGING_DIR, "/staging/" + UUID.randomUUID())
            .with(YarnOptions.PROVIDED_LIB_DIRS, "/libraries")
            .with(StubYarnClient.VARIABLE, directory.resolve("orders").toString());
    try (YarnConnection connection = connect()) {
      id =
          connection
              .deploy(
                  DeploymentSpec.ofSession(configuration),
                  StubYarnClient.engine(home.resolve(UUID.randomUUID().toString())),
                  report::add)
              .id();
    }
  }

  @AfterEach
  void kill() throws Exception {
    hadoop.client().killApplication(ApplicationId.fromString(id));
  }

  private YarnConnection connect() {
    Map<String, String> environment = new LinkedHashMap<>(hadoop.environment());
    environment.put("HOME", directory.toString());
    return YarnConnection.open(configuration, environment);
  }

  private Session session(YarnConnection connection) {
    return new YarnSession(
        connection.find(id).orElseThrow(),
        YarnSessionFile.of(configuration, Map.of("HOME", directory.toString())),
        Duration.ofSeconds(30));
  }

  private Outcome stop(boolean mayKill) {
    try (YarnConnection connection = connect()) {
      return session(connection)
          .stop(
              report::add,
              question -> {
                questions.add(question);
                return mayKill;
              });
    }
  }

  private YarnApplicationState state() throws Exception {
    return hadoop
        .client()
        .getApplicationReport(ApplicationId.fromString(id))
        .getYarnApplicationState();
  }

  @Test
  @Behaviour("A2: a session that does not answer is killed only with the consent of its user")
  void silentSessionIsKilledWithConsentOnly() throws Exception {
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> stop(false))
        .withMessageContaining(id + " does not answer.")
        .withMessageContaining("millrace session stop --force " + id);
    assertThat(questions).hasSize(1);
    assertThat(state()).isEqualTo(YarnApplicationState.RUNNING);

    assertThat(stop(true).status()).isEqualTo(ApplicationStatus.CANCELED);
    assertThat(state()).isEqualTo(YarnApplicationState.KILLED);
  }

  @Test
  @Behaviour("A2: a user lists and stops only own sessions unless others are asked for")
  void sessionOfAnotherUserIsNeitherListedNorKilled() throws Exception {
    String owner = UserGroupInformation.getCurrentUser().getShortUserName();
    UserGroupInformation.createRemoteUser("mallory")
        .doAs(
            (PrivilegedExceptionAction<Void>)
                () -> {
                  assertThatExceptionOfType(MillraceException.class)
                      .isThrownBy(() -> stop(true))
                      .withMessageContaining("belongs to user " + owner);
                  try (YarnConnection connection = connect()) {
                    assertThat(connection.running(DeploymentMode.SESSION, false))
                        .noneMatch(application -> application.id().equals(id));
                    assertThat(connection.running(DeploymentMode.SESSION, true))
                        .anyMatch(application -> application.id().equals(id));
                    assertThat(session(connection).info().user()).isEqualTo(owner);
                  }
                  return null;
                });
    assertThat(questions).isEmpty();
    assertThat(state()).isEqualTo(YarnApplicationState.RUNNING);
    try (YarnConnection connection = connect()) {
      assertThat(connection.running(DeploymentMode.SESSION, false))
          .anyMatch(application -> application.id().equals(id));
    }
  }
}
