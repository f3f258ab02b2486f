package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cluster.keys.JoinBundle;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A cluster at an address that other machines can reach, and a TaskManager that joins it from
 * another directory with a bundle.
 */
class JoinedTaskManagerIT {
  @RegisterExtension static final Shell SHELL = new Shell();

  private static int directories;

  private Path cluster;
  private Path joined;
  private Path bundle;

  @BeforeEach
  void setUp() throws IOException {
    Path directory = Files.createDirectory(SHELL.directory().resolve("join-" + ++directories));
    cluster = directory.resolve("cluster");
    joined = directory.resolve("joined");
    bundle = directory.resolve("worker.bundle");
  }

  @AfterEach
  void stop() throws IOException {
    for (Path directory : List.of(joined, cluster)) {
      if (Files.isDirectory(directory.resolve("pids"))) {
        SHELL.millrace("cluster", "stop", "--no-keep-logs", "--dir", directory.toString());
      }
    }
  }

  @Test
  @Behaviour("I4: a bundle lets one TaskManager join; only its owner can read it")
  @Behaviour("I4: beyond loopback REST, RPC and records are encrypted without any option")
  void taskManagerJoinsWithOneFile() throws Exception {
    Outcome started = start("--slots", "1").succeeded();
    String url = line(started, "REST address: ");
    assertThat(url).startsWith("https://" + address() + ":");
    assertThat(line(started, "Web page: ")).startsWith(url + "/?login=");
    assertThat(line(started, "Certificate (SHA-256): ")).matches("([0-9A-F]{2}:){31}[0-9A-F]{2}");

    writeBundle();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(bundle)))
        .isEqualTo("rw-------");
    assertThat(join(bundle).succeeded().out())
        .anyMatch(
            text ->
                text.matches("TaskManager \\S+ has joined the cluster at " + address() + ":\\d+"));
    assertThat(status(joined).succeeded().out()).anyMatch(text -> text.startsWith("Joined:"));

    // Two slots, one of each TaskManager, so that records pass between them.
    Outcome local = SHELL.millrace("run", Shell.example("word-count.jar").toString());
    Outcome both =
        millrace("run", "-t", "remote", "-p", "2", Shell.example("word-count.jar").toString());
    assertThat(both.succeeded().out())
        .hasSize(176)
        .containsExactlyInAnyOrderElementsOf(local.succeeded().out());

    assertThat(status(url, Map.of())).isEqualTo(401);
    String token = Files.readString(cluster.resolve("rest-token"));
    assertThat(status(url, Map.of("Authorization", "Bearer " + token))).isEqualTo(200);
    assertThat(SHELL.millrace("cluster", "stop", "--dir", joined.toString()).succeeded().out())
        .contains("Cluster stopped: 1 process ended");
    assertThat(joined).doesNotExist();
  }

  @Test
  @Behaviour("I4: a damaged, expired or foreign bundle is refused with the reason")
  void otherBundlesAreRefused() throws Exception {
    start("--rpc-port", "0").succeeded();
    writeBundle();
    JoinBundle valid = JoinBundle.read(bundle);
    Path expired = bundle.resolveSibling("expired.bundle");
    new JoinBundle(
            valid.worker(),
            Instant.now().minus(Duration.ofHours(1)),
            valid.options(),
            valid.keyStore(),
            valid.password(),
            valid.secret())
        .write(expired);
    assertRefused(expired, "has expired");

    Path damaged = bundle.resolveSibling("damaged.bundle");
    List<String> lines = Files.readAllLines(bundle);
    Files.write(damaged, lines.subList(0, lines.size() - 1));
    Files.setPosixFilePermissions(damaged, PosixFilePermissions.fromString("rw-------"));
    assertRefused(damaged, "is damaged or incomplete");

    Path none = bundle.resolveSibling("notes.txt");
    Files.writeString(none, "notes\n");
    Files.setPosixFilePermissions(none, PosixFilePermissions.fromString("rw-------"));
    assertRefused(none, "is not a bundle");

    // The same address, but new keys: another cluster.
    SHELL.millrace("cluster", "stop", "--dir", cluster.toString()).succeeded();
    Shell.delete(cluster.resolve("keys"));
    start("--rpc-port", valid.options().get("jobmanager.rpc.port")).succeeded();
    assertRefused(bundle, "does not belong to the cluster of this bundle");
  }

  @Test
  void bundlesFitTheNextStartWithTheSameKeys() throws Exception {
    assertThat(SHELL.millrace("cluster", "keys", "--dir", cluster.toString()).succeeded().out())
        .anyMatch(text -> text.startsWith("SHA-256: "));
    start("--rpc-port", "0").succeeded();
    writeBundle();
    String port = JoinBundle.read(bundle).options().get("jobmanager.rpc.port");
    SHELL.millrace("cluster", "stop", "--dir", cluster.toString()).succeeded();
    start("--rpc-port", port).succeeded();
    join(bundle).succeeded();
  }

  @Test
  void elasticTaskManagersHaveKeys() throws Exception {
    start("--elastic", "--slots", "1").succeeded();
    assertThat(
            millrace("run", "-t", "remote", "-p", "2", Shell.example("word-count.jar").toString())
                .succeeded()
                .out())
        .hasSize(176);
  }

  private void assertRefused(Path file, String reason) throws IOException {
    Outcome refused = join(file);
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).anyMatch(text -> text.contains(reason));
    assertThat(joined.resolve("pids")).doesNotExist();
  }

  private Outcome start(String... options) throws IOException {
    return SHELL.millrace(
        Stream.concat(
                Stream.of(
                    "cluster",
                    "start",
                    "--dir",
                    cluster.toString(),
                    "--bind",
                    address(),
                    "--rest-port",
                    "0"),
                Stream.of(options))
            .toArray(String[]::new));
  }

  private void writeBundle() throws IOException {
    SHELL.millrace("cluster", "bundle", "--dir", cluster.toString(), bundle.toString()).succeeded();
  }

  private Outcome join(Path file) throws IOException {
    return SHELL.millrace(
        "cluster", "join", "--dir", joined.toString(), "--slots", "1", file.toString());
  }

  private static Outcome status(Path directory) throws IOException {
    return SHELL.millrace("cluster", "status", "--dir", directory.toString());
  }

  private Outcome millrace(String... arguments) throws IOException {
    return SHELL.millrace(Map.of("MILLRACE_CLUSTER_DIR", cluster.toString()), arguments);
  }

  private static String line(Outcome outcome, String start) {
    return outcome.out().stream()
        .filter(text -> text.startsWith(start))
        .findFirst()
        .orElseThrow(() -> new AssertionError("No '" + start + "' in " + outcome))
        .substring(start.length());
  }

  /** The status of a request that trusts the authority of the cluster. */
  private int status(String url, Map<String, String> headers) throws Exception {
    char[] password = Files.readString(cluster.resolve("keys/password")).toCharArray();
    KeyStore store = KeyStore.getInstance("JKS");
    try (InputStream file = Files.newInputStream(cluster.resolve("keys/trust.jks"))) {
      store.load(file, password);
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(null, trust.getTrustManagers(), null);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + "/overview")).timeout(Duration.ofSeconds(60));
    new LinkedHashMap<>(headers).forEach(request::header);
    return HttpClient.newBuilder()
        .sslContext(tls)
        .build()
        .send(request.build(), BodyHandlers.discarding())
        .statusCode();
  }

  /**
   * An address of this machine that other machines may reach. The traffic stays on this machine. A
   * machine without a network has another loopback address, which is treated in the same way.
   */
  private static String address() {
    try {
      return NetworkInterface.networkInterfaces()
          .flatMap(NetworkInterface::inetAddresses)
          .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
          .map(InetAddress::getHostAddress)
          .findFirst()
          .orElse("127.0.0.2");
    } catch (SocketException e) {
      throw new UncheckedIOException(e);
    }
  }
}
