package io.millrace.cluster.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.config.BindPorts;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.PortRange;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.tls.ClusterKeyFiles;
import io.millrace.core.tls.InternalTls;
import io.millrace.protocol.Messages;
import io.millrace.rpc.grpc.GrpcSettings;
import io.millrace.rpc.grpc.GrpcTransport;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the user of a bundle is told by the RPC port of a JobManager. */
class JobManagerContactTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir Path temporary;
  private ClusterKeys ours;
  private ClusterKeys theirs;
  private GrpcTransport jobManager;

  @BeforeEach
  void setUp() throws IOException {
    Instant now = Instant.now();
    ours = ClusterKeys.create(temporary.resolve("ours"), now);
    theirs = ClusterKeys.create(temporary.resolve("theirs"), now);
    Configuration configuration =
        ours.jobManager("jobmanager", List.of("127.0.0.1"), now).in(Configuration.EMPTY);
    jobManager =
        new GrpcTransport(
            new GrpcSettings(
                GrpcSettings.Role.JOB_MANAGER,
                "127.0.0.1",
                BindPorts.of(JobManagerOptions.PORT, PortRange.of(0)),
                "127.0.0.1",
                Bytes.utf8("a secret of the cluster"),
                InternalTls.of(configuration)),
            Messages.codec(),
            Messages::isHeartbeat);
  }

  @AfterEach
  void close() {
    jobManager.close();
  }

  @Test
  void bothSidesAcceptEachOther() throws IOException {
    assertThat(contact(ours, Duration.ofDays(1), port()).verify(TIMEOUT).isLoopbackAddress())
        .isTrue();
  }

  @Test
  @Behaviour("I4: a damaged, expired or foreign bundle is refused with the reason")
  void bundleOfAnotherClusterIsRefused() throws IOException {
    JobManagerContact contact = contact(theirs, Duration.ofDays(1), port());
    assertThatThrownBy(() -> contact.verify(TIMEOUT))
        .hasMessageContaining("does not belong to the cluster of this bundle")
        .hasMessageContaining("millrace cluster bundle");
  }

  @Test
  @Behaviour("I4: the key of a bundle is accepted until the bundle expires")
  void jobManagerRefusesAnExpiredKey() throws IOException {
    JobManagerContact contact = contact(ours, Duration.ofMinutes(-1), port());
    assertThatThrownBy(() -> contact.verify(TIMEOUT))
        .hasMessageContaining("does not accept the key of this bundle")
        .hasMessageContaining("expired");
  }

  @Test
  void anotherServerIsNotTheJobManager() throws IOException {
    int closed;
    try (ServerSocket server = new ServerSocket(0)) {
      closed = server.getLocalPort();
    }
    JobManagerContact contact = contact(ours, Duration.ofDays(1), closed);
    assertThatThrownBy(() -> contact.verify(TIMEOUT))
        .hasMessageContaining("cannot be reached")
        .hasMessageContaining("firewall");
  }

  private int port() {
    String address = jobManager.address();
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  private JobManagerContact contact(ClusterKeys keys, Duration validity, int port)
      throws IOException {
    Instant now = Instant.now();
    Path store = Files.createTempFile(temporary, "worker", ".jks");
    Files.write(
        store, keys.remoteWorker(new WorkerId("one"), now.plus(validity), "a password", now));
    return JobManagerContact.of(
        new ClusterKeyFiles(store.toString(), "a password")
            .in(Configuration.EMPTY)
            .with(JobManagerOptions.ADDRESS, "127.0.0.1")
            .with(JobManagerOptions.PORT, port));
  }
}
