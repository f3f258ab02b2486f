package io.millrace.cli.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.FakeServer;
import io.millrace.cli.common.ExitCodes;
import io.millrace.client.ConfigurationFile;
import io.millrace.client.HostPort;
import io.millrace.client.testing.FakeRestServer;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestTlsOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Permissions of the files of a cluster, and the use of its token. */
class ClusterDirectoryTest {
  private static final int OTHER_USER = 65534;

  private static final String LIST = "GET /jobs/overview";

  @TempDir private Path directory;
  private CommandLineHarness cli;
  private ClusterDirectory clusterDirectory;

  @BeforeEach
  void prepare() {
    cli = new CommandLineHarness(directory);
    clusterDirectory = ClusterDirectory.byDefault(cli.console());
  }

  @Test
  void existingDirectoryIsMadePrivate() throws IOException {
    Files.createDirectories(
        clusterDirectory.root(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    clusterDirectory.create();
    ConfigurationFile.write(
        Configuration.EMPTY.with(RestTlsOptions.KEYSTORE_PASSWORD, "in clear"),
        clusterDirectory.conf());

    assertThat(mode(clusterDirectory.root())).isEqualTo("rwx------");
    assertThat(
            List.of(
                clusterDirectory.conf(),
                clusterDirectory.tmp(),
                clusterDirectory.log("x").getParent()))
        .extracting(ClusterDirectoryTest::mode)
        .containsOnly("rwx------");
    assertThat(
            List.of(
                clusterDirectory.secret(),
                clusterDirectory.restToken(),
                clusterDirectory.conf().resolve(ConfigurationFile.NAME)))
        .extracting(ClusterDirectoryTest::mode)
        .containsOnly("rw-------");
    assertThat(Files.readString(clusterDirectory.restToken()))
        .matches("[0-9a-f]{64}")
        .isNotEqualTo(Files.readString(clusterDirectory.secret()));
  }

  @Test
  void configurationThatIsWrittenAgainStaysItsOwnersOnly() throws IOException {
    clusterDirectory.create();
    Path file = clusterDirectory.conf().resolve(ConfigurationFile.NAME);
    Files.writeString(file, "rest.port: 1\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    ConfigurationFile.write(Configuration.EMPTY, clusterDirectory.conf());
    assertThat(mode(file)).isEqualTo("rw-------");
  }

  @Test
  void directoryOfAnotherUserIsRefused() throws IOException {
    assumeTrue(
        Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
        "Only root can give a directory to another user");
    Files.createDirectories(clusterDirectory.root());
    Files.setAttribute(clusterDirectory.root(), "unix:uid", OTHER_USER);
    assertThatThrownBy(clusterDirectory::create)
        .hasMessageContaining("belongs to")
        .hasMessageContaining("--dir");
    assertThat(clusterDirectory.secret()).doesNotExist();
    assertThat(clusterDirectory.restToken()).doesNotExist();
  }

  private static String mode(Path file) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void commandsPresentTheTokenOfTheOwnClusterWhileItsJobManagerIsAlive() throws Exception {
    try (FakeRestServer server = new FakeRestServer()) {
      server.answer(LIST, "{\"jobs\":[]}");
      clusterDirectory.create();
      clusterDirectory.writeAddress(server.address());
      presentsTokenWhileTheJobManagerIsAlive(server);
    }
  }

  @Test
  void commandsUseALivingJobManagerOfSeveral() throws Exception {
    HostPort first = new HostPort("127.0.0.1", 1);
    HostPort second = new HostPort("127.0.0.1", 2);
    String standby = ClusterProcess.jobManager(2);
    clusterDirectory.create();
    clusterDirectory.writeAddress(first);
    clusterDirectory.writeAddress(standby, second);
    assertThat(clusterDirectory.address()).as("all are dead").contains(first);
    try (FakeServer two = FakeServer.of(clusterDirectory, standby)) {
      two.recordedIn(clusterDirectory);
      try (FakeServer one = FakeServer.of(clusterDirectory, ClusterProcess.JOB_MANAGER)) {
        one.recordedIn(clusterDirectory);
        assertThat(clusterDirectory.processes())
            .extracting(ClusterProcess::name)
            .containsExactly(ClusterProcess.JOB_MANAGER, standby);
        assertThat(clusterDirectory.address()).contains(first);
        assertThat(clusterDirectory.runsAt(first)).isTrue();
        assertThat(clusterDirectory.runsAt(second)).isTrue();
        one.end();
      }
      assertThat(clusterDirectory.address()).contains(second);
      assertThat(clusterDirectory.runningAddress()).contains(second);
      assertThat(clusterDirectory.runsAt(first)).isFalse();
      two.end();
    }
    assertThat(clusterDirectory.runningAddress()).isEmpty();
  }

  private void presentsTokenWhileTheJobManagerIsAlive(FakeRestServer server) throws Exception {
    try (FakeServer jobManager = FakeServer.of(clusterDirectory, ClusterProcess.JOB_MANAGER)) {
      jobManager.recordedIn(clusterDirectory);
      String bearer = "Bearer " + Files.readString(clusterDirectory.restToken());

      assertThat(cli.call("list")).isEqualTo(ExitCodes.OK);
      assertThat(server.authorization(LIST)).isEqualTo(bearer);
      assertThat(cli.call("list", "-m", server.address().toString())).isEqualTo(ExitCodes.OK);
      assertThat(server.authorization(LIST)).isEqualTo(bearer);

      // Without the JobManager, another process may listen at the address.
      jobManager.end();
      assertThat(cli.call("list")).isEqualTo(ExitCodes.OK);
      assertThat(server.requests()).hasSize(3);
      assertThat(server.authorization(LIST)).isEmpty();
    }
  }
}
