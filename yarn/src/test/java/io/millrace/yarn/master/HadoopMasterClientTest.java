package io.millrace.yarn.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.driver.DriverTermination;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.ApplicationStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Without a YARN that answers. */
class HadoopMasterClientTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource(ApplicationStatus.class)
  @Behaviour(
      "B3: YARN gets the outcome and its cause on deregistration; containers and staged files are"
          + " removed")
  void everyOutcomeHasAFinalStatus(ApplicationStatus status) {
    FinalApplicationStatus expected =
        switch (status) {
          case SUCCEEDED -> FinalApplicationStatus.SUCCEEDED;
          case CANCELED -> FinalApplicationStatus.KILLED;
          // An unknown outcome must not look like success.
          case FAILED, UNKNOWN -> FinalApplicationStatus.FAILED;
        };
    assertThat(HadoopMasterClient.status(status)).isEqualTo(expected);
  }

  @Test
  void longDiagnosticsAreTruncated() {
    assertThat(HadoopMasterClient.truncate("short")).isEqualTo("short");
    assertThat(HadoopMasterClient.truncate("x".repeat(8_000))).hasSize(8_000);
    assertThat(HadoopMasterClient.truncate("x".repeat(8_001))).hasSize(8_001).endsWith("x…");
  }

  @Test
  void registrationWithoutYarnFailsWithItsCause() {
    HadoopMasterClient client = client();
    assertThatThrownBy(
            () ->
                client.register(
                    new ApplicationMasterAddress("localhost", 1, "http://localhost"),
                    (id, cause) -> {}))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("could not register at YARN's ResourceManager")
        .matches(e -> ((MillraceException) e).kind() == ErrorKind.EXTERNAL);
    client.close();
  }

  @Test
  void stagingDirectoryIsRemovedAlsoIfYarnCannotBeTold() throws Exception {
    Path staging = Files.createDirectory(directory.resolve("staging"));
    Files.writeString(staging.resolve("archive"), "x");
    HadoopMasterClient client = client();
    // It was never registered, so the library refuses the call.
    client.unregister(new DriverTermination.Over(ApplicationStatus.SUCCEEDED, "Done."));
    assertThat(staging).doesNotExist();
    client.close();
  }

  @Test
  void clientThatWasNotRegisteredCanBeClosed() {
    HadoopMasterClient client = client();
    client.close();
    assertThatThrownBy(client::query).isInstanceOf(java.util.NoSuchElementException.class);
  }

  private HadoopMasterClient client() {
    YarnConfiguration hadoop = new YarnConfiguration();
    hadoop.set(YarnConfiguration.RM_SCHEDULER_ADDRESS, "127.0.0.1:1");
    hadoop.setInt(YarnConfiguration.RESOURCEMANAGER_CONNECT_MAX_WAIT_MS, 1);
    hadoop.setInt(YarnConfiguration.RESOURCEMANAGER_CONNECT_RETRY_INTERVAL_MS, 1);
    hadoop.setInt("ipc.client.connect.max.retries", 0);
    return new HadoopMasterClient(
        new ApplicationMasterContext(
            hadoop,
            "application_1_0001",
            UserGroupInformation.createRemoteUser("user"),
            Optional.of(directory.resolve("staging").toUri()),
            new Credentials()),
        io.millrace.core.config.Configuration.EMPTY,
        () -> 0);
  }
}
