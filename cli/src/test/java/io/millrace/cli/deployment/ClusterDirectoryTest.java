package io.millrace.cli.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.FakeServer;
import io.millrace.cli.common.ExitCodes;
import io.millrace.client.ConfigurationFile;
import io.millrace.client.HostPort;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestTlsOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who can read what a cluster keeps, and who is given its token. */
class ClusterDirectoryTest {
  private static final int NOBODY = 65534;

  @TempDir private Path directory;
  private CommandLineHarness cli;
  private ClusterDirectory place;

  @BeforeEach
  void prepare() {
    cli = new CommandLineHarness(directory);
    place = ClusterDirectory.byDefault(cli.console());
  }

  @Test
  void directoryThatWasThereBeforeIsItsOwnersOnly() throws IOException {
    Files.createDirectories(
        place.root(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    place.create();
    ConfigurationFile.write(
        Configuration.EMPTY.with(RestTlsOptions.KEYSTORE_PASSWORD, "in clear"), place.conf());

    assertThat(mode(place.root())).isEqualTo("rwx------");
    assertThat(List.of(place.conf(), place.tmp(), place.log("x").getParent()))
        .extracting(ClusterDirectoryTest::mode)
        .containsOnly("rwx------");
    assertThat(
            List.of(
                place.secret(), place.restToken(), place.conf().resolve(ConfigurationFile.NAME)))
        .extracting(ClusterDirectoryTest::mode)
        .containsOnly("rw-------");
    assertThat(Files.readString(place.restToken()))
        .matches("[0-9a-f]{64}")
        .isNotEqualTo(Files.readString(place.secret()));
  }

  @Test
  void configurationThatIsWrittenAgainStaysItsOwnersOnly() throws IOException {
    place.create();
    Path file = place.conf().resolve(ConfigurationFile.NAME);
    Files.writeString(file, "rest.port: 1\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    ConfigurationFile.write(Configuration.EMPTY, place.conf());
    assertThat(mode(file)).isEqualTo("rw-------");
  }

  @Test
  void directoryOfAnotherUserIsRefused() throws IOException {
    assumeTrue(
        Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
        "Only root can give a directory to another user");
    Files.createDirectories(place.root());
    Files.setAttribute(place.root(), "unix:uid", NOBODY);
    assertThatThrownBy(place::create)
        .hasMessageContaining("belongs to")
        .hasMessageContaining("--dir");
    assertThat(place.secret()).doesNotExist();
    assertThat(place.restToken()).doesNotExist();
  }

  private static String mode(Path file) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void commandsPresentTheTokenOfTheOwnClusterWhileItLives() throws Exception {
    List<String> presented = new CopyOnWriteArrayList<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          presented.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
          byte[] answer = "{\"jobs\":[]}".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    place.create();
    try (FakeServer jobManager = FakeServer.of(place, ClusterProcess.JOB_MANAGER)) {
      jobManager.recordedIn(place);
      HostPort address = new HostPort("127.0.0.1", server.getAddress().getPort());
      place.writeAddress(address);
      String bearer = "Bearer " + Files.readString(place.restToken());

      assertThat(cli.call("list")).isEqualTo(ExitCodes.OK);
      assertThat(cli.call("list", "-m", address.toString())).isEqualTo(ExitCodes.OK);
      assertThat(presented).containsExactly(bearer, bearer);

      // Whoever listens there once the JobManager is gone is a stranger.
      jobManager.end();
      assertThat(cli.call("list")).isEqualTo(ExitCodes.OK);
      assertThat(presented).hasSize(3).last().isEqualTo("null");
    } finally {
      server.stop(0);
    }
  }
}
