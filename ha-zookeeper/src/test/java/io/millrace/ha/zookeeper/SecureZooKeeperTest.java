package io.millrace.ha.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.minikdc.MiniKdc;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ZooKeeper with Kerberos from a MiniKdc, and with TLS. */
@Tag("slow")
class SecureZooKeeperTest {
  private static final String PASSWORD = "changeit";

  @TempDir static Path directory;
  private static MiniKdc kdc;
  private static ZooKeeperServerProcess kerberos;
  private static ZooKeeperServerProcess digest;
  private static ZooKeeperServerProcess tls;

  @BeforeAll
  static void start() throws Exception {
    Properties settings = MiniKdc.createConf();
    settings.setProperty(MiniKdc.KDC_BIND_ADDRESS, "localhost");
    kdc = new MiniKdc(settings, Files.createDirectory(directory.resolve("kdc")).toFile());
    kdc.start();
    kdc.createPrincipal(file("zookeeper.keytab"), "zookeeper/localhost");
    kdc.createPrincipal(file("miller.keytab"), "miller");
    kdc.createPrincipal(file("baker.keytab"), "baker");
    TicketCache.write(
        kdc,
        "miller",
        file("miller.keytab").toPath(),
        directory.resolve("valid.ticket"),
        directory.resolve("expired.ticket"));
    kerberos =
        saslServer(
            "kerberos",
            """
            com.sun.security.auth.module.Krb5LoginModule required
            useKeyTab=true storeKey=true useTicketCache=false
            keyTab="%s" principal="zookeeper/localhost@%s";
            """
                .formatted(file("zookeeper.keytab"), kdc.getRealm()));
    digest =
        saslServer(
            "digest",
            """
            org.apache.zookeeper.server.auth.DigestLoginModule required
            user_miller="secret" user_baker="other";
            """);
    keyTool(
        "-genkeypair -alias server -keyalg EC -groupname secp256r1 -dname CN=localhost -validity"
            + " 2 -ext SAN=dns:localhost -storetype PKCS12 -keystore server.p12");
    keyTool(
        "-genkeypair -alias client -keyalg EC -groupname secp256r1 -dname CN=client -validity 2"
            + " -storetype PKCS12 -keystore client.p12");
    keyTool("-exportcert -alias server -file server.crt -keystore server.p12");
    keyTool("-exportcert -alias client -file client.crt -keystore client.p12");
    keyTool("-importcert -noprompt -alias server -file server.crt -keystore servers.p12");
    keyTool("-importcert -noprompt -alias client -file client.crt -keystore clients.p12");
    tls =
        ZooKeeperServerProcess.start(
            Files.createDirectory(directory.resolve("tls")),
            "secureClientPort",
            Map.of(
                "serverCnxnFactory",
                "org.apache.zookeeper.server.NettyServerCnxnFactory",
                "authProvider.x509",
                "org.apache.zookeeper.server.auth.X509AuthenticationProvider",
                "ssl.keyStore.location",
                file("server.p12").toString(),
                "ssl.keyStore.password",
                PASSWORD,
                "ssl.trustStore.location",
                file("clients.p12").toString(),
                "ssl.trustStore.password",
                PASSWORD),
            List.of());
  }

  /** A server that only serves clients that authenticate by SASL. */
  private static ZooKeeperServerProcess saslServer(String name, String module) throws Exception {
    return ZooKeeperServerProcess.start(
        Files.createDirectory(directory.resolve(name)),
        "clientPort",
        Map.of(
            "authProvider.1",
            "org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
            "enforce.auth.enabled",
            "true",
            "enforce.auth.schemes",
            "sasl"),
        List.of(
            loginContexts(name + ".server", "Server", module),
            "-Djava.security.krb5.conf=" + kdc.getKrb5conf()));
  }

  /** Writes a file with a login context; returns the option of the JVM that names it. */
  private static String loginContexts(String file, String context, String module)
      throws IOException {
    return "-Djava.security.auth.login.config="
        + Files.writeString(
            directory.resolve(file + ".jaas"), context + " {\n" + module + "\n};\n");
  }

  @AfterAll
  static void stop() throws Exception {
    for (ZooKeeperServerProcess server : Arrays.asList(tls, digest, kerberos)) {
      if (server != null) {
        server.close();
      }
    }
    if (kdc != null) {
      kdc.stop();
    }
  }

  private static File file(String name) {
    return directory.resolve(name).toFile();
  }

  private static void keyTool(String options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(options.split(" ")));
    command.addAll(List.of("-storepass", PASSWORD));
    run(Map.of(), command);
  }

  private static List<String> run(Map<String, String> environment, List<String> command)
      throws Exception {
    Path out = Files.createTempFile(directory, "out", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("%s", command).isTrue();
      assertThat(process.exitValue()).as("%s%n%s", command, Files.readString(out)).isZero();
      return Files.readAllLines(out);
    } finally {
      process.destroyForcibly();
    }
  }

  private static List<String> connect(String server, String... options) throws Exception {
    return connect(Map.of(), List.of(), server, options);
  }

  /** Connects in a process with these variables and options of the JVM. */
  private static List<String> connect(
      Map<String, String> environment, List<String> jvm, String server, String... options)
      throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
    command.addAll(jvm);
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            SecureClient.class.getName(),
            "high-availability.zookeeper.quorum=" + server,
            "high-availability.zookeeper.client.ensemble-tracker=false",
            "high-availability.zookeeper.client.retry-wait=100 ms",
            "high-availability.zookeeper.client.connection-timeout=30 s"));
    command.addAll(List.of(options));
    return run(environment, command).stream()
        .filter(line -> line.matches("(Known|ACL|Error).*"))
        .toList();
  }

  private static List<String> connectAs(String user, String... options) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "security.kerberos.login.contexts=Client",
                "security.kerberos.krb5-conf.path=" + kdc.getKrb5conf(),
                "security.kerberos.login.keytab=" + file(user + ".keytab"),
                "security.kerberos.login.principal=" + user + "@" + kdc.getRealm(),
                "high-availability.zookeeper.client.acl=creator"));
    all.addAll(List.of(options));
    return connect(kerberos.address(), all.toArray(String[]::new));
  }

  private static List<String> connectWithTls(String... options) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "high-availability.zookeeper.client.ssl.enabled=true",
                "high-availability.zookeeper.client.ssl.truststore=" + file("servers.p12"),
                "high-availability.zookeeper.client.ssl.truststore-password=" + PASSWORD,
                "high-availability.zookeeper.client.ssl.keystore=" + file("client.p12"),
                "high-availability.zookeeper.client.ssl.keystore-password=" + PASSWORD));
    all.addAll(List.of(options));
    return connect(tls.address(), all.toArray(String[]::new));
  }

  @Test
  @Behaviour(
      "B5: with a keytab, processes authenticate at ZooKeeper, and nodes of the cluster are usable"
          + " by their user only")
  void keytabAuthenticatesAndNodesBelongToTheirCreator() throws Exception {
    String miller = "miller@" + kdc.getRealm();

    assertThat(connectAs("miller"))
        .hasSize(2)
        .satisfies(lines -> assertThat(lines.get(0)).contains("sasl:" + miller))
        .contains("ACL [sasl:" + miller + "]");
    assertThat(connectAs("baker"))
        .singleElement()
        .asString()
        .contains("no permission for /millrace/default")
        .contains("high-availability.zookeeper.path.root");
  }

  @Test
  @Behaviour("B5: wrong credentials for ZooKeeper are an error of one line that names the option")
  void wrongCredentialsAreExplainedInOneLine() throws Exception {
    assertThat(
            connectAs(
                "miller",
                "high-availability.cluster-id=a",
                "security.kerberos.login.principal=baker@" + kdc.getRealm()))
        .singleElement()
        .asString()
        .contains("login of baker@", "the keytab has no key of that principal");
    assertThat(
            connectAs(
                "miller", "high-availability.cluster-id=b", "zookeeper.sasl.service-name=wrong"))
        .singleElement()
        .asString()
        .contains("refuses the credentials of this process", "zookeeper.sasl.service-name");
    assertThat(connect(kerberos.address()))
        .singleElement()
        .asString()
        .contains("require that clients authenticate", "security.kerberos.login.contexts");
  }

  private static List<String> connectWithTickets(String cache, String... options) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "security.kerberos.login.contexts=Client",
                "security.kerberos.krb5-conf.path=" + kdc.getKrb5conf(),
                "high-availability.zookeeper.client.acl=creator"));
    all.addAll(List.of(options));
    return connect(
        Map.of("KRB5CCNAME", "FILE:" + directory.resolve(cache)),
        List.of(),
        kerberos.address(),
        all.toArray(String[]::new));
  }

  @Test
  @Behaviour("B5: without a keytab, processes authenticate at ZooKeeper with the ticket of kinit")
  void ticketCacheAuthenticates() throws Exception {
    assertThat(connectWithTickets("valid.ticket", "high-availability.cluster-id=tickets"))
        .contains("ACL [sasl:miller@" + kdc.getRealm() + "]");
  }

  @Test
  @Behaviour("B5: wrong credentials for ZooKeeper are an error of one line that names the option")
  void missingAndExpiredTicketsAreExplainedInOneLine() throws Exception {
    for (String cache : List.of("expired.ticket", "missing.ticket")) {
      assertThat(connectWithTickets(cache))
          .as(cache)
          .singleElement()
          .asString()
          .contains("login context 'Client'", "Run kinit", "security.kerberos.login.keytab");
    }
    assertThat(connectWithTickets("valid.ticket", "security.kerberos.login.use-ticket-cache=false"))
        .singleElement()
        .asString()
        .contains("require that clients authenticate");
    assertThat(connectWithTickets("valid.ticket", "zookeeper.sasl.disable=true"))
        .singleElement()
        .asString()
        .contains("require that clients authenticate");
  }

  private static List<String> connectWithDigest(String password, String jvm, String... options)
      throws Exception {
    String context = "Quorum";
    List<String> all =
        new ArrayList<>(
            List.of(
                "zookeeper.sasl.login-context-name=" + context,
                "high-availability.zookeeper.client.acl=creator"));
    all.addAll(List.of(options));
    return connect(
        Map.of(),
        List.of(
            jvm,
            loginContexts(
                "client",
                context,
                "org.apache.zookeeper.server.auth.DigestLoginModule required"
                    + " username=\"miller\" password=\""
                    + password
                    + "\";")),
        digest.address(),
        all.toArray(String[]::new));
  }

  @Test
  @Behaviour("B5: a login context of the JVM with a digest authenticates at ZooKeeper")
  void loginContextWithADigestAuthenticates() throws Exception {
    String allowed = "-Dzookeeper.fips-mode=false";
    assertThat(connectWithDigest("secret", allowed)).contains("ACL [sasl:miller]");
    assertThat(connectWithDigest("wrong", allowed))
        .singleElement()
        .asString()
        .contains("refuses the credentials of this process", "login context 'Quorum'")
        .doesNotContain("wrong");
    assertThat(connectWithDigest("secret", "-Dzookeeper.fips-mode=true"))
        .singleElement()
        .asString()
        .contains("login context 'Quorum'", allowed);
    assertThat(connectWithDigest("secret", allowed, "zookeeper.sasl.login-context-name=Client"))
        .as("a context that is not configured")
        .singleElement()
        .asString()
        .contains("require that clients authenticate");
  }

  @Test
  @Behaviour("G1: connections to ZooKeeper can use mutual TLS")
  void certificatesAuthenticateBothSides() throws Exception {
    assertThat(connectWithTls("high-availability.zookeeper.client.acl=creator"))
        .contains("ACL [x509:CN=client]");
  }

  @Test
  @Behaviour("G1: failures of TLS to ZooKeeper are errors of one line that name the option")
  void failuresOfTlsAreExplainedInOneLine() throws Exception {
    String brief = "high-availability.zookeeper.client.connection-timeout=3 s";
    assertThat(
            connectWithTls(
                brief, "high-availability.zookeeper.client.ssl.truststore=" + file("clients.p12")))
        .singleElement()
        .asString()
        .contains("does not trust (high-availability.zookeeper.client.ssl.truststore)");
    assertThat(
            connectWithTls(
                brief, "high-availability.zookeeper.client.ssl.keystore=" + file("server.p12")))
        .singleElement()
        .asString()
        .contains("refuses this client", "high-availability.zookeeper.client.ssl.keystore");
    assertThat(connectWithTls("high-availability.zookeeper.client.ssl.truststore-password=wrong"))
        .singleElement()
        .asString()
        .contains("cannot be opened", "high-availability.zookeeper.client.ssl.truststore");
    assertThat(connect(tls.address(), brief))
        .singleElement()
        .asString()
        .contains("requires TLS (high-availability.zookeeper.client.ssl.enabled)");
    assertThat(connectWithTls(brief, "high-availability.zookeeper.quorum=" + kerberos.address()))
        .singleElement()
        .asString()
        .contains("high-availability.zookeeper.client.ssl.enabled");
  }
}
