package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import io.millrace.ha.zookeeper.ZooKeeperServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.hadoop.minikdc.MiniKdc;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A cluster at a ZooKeeper that accepts only clients with a Kerberos login. */
class SecureZooKeeperIT {
  @RegisterExtension static final Shell SHELL = new Shell();
  @TempDir static Path directory;
  private static MiniKdc kdc;
  private static ZooKeeperServerProcess zooKeeper;

  @BeforeAll
  static void start() throws Exception {
    Properties settings = MiniKdc.createConf();
    settings.setProperty(MiniKdc.KDC_BIND_ADDRESS, "localhost");
    kdc = new MiniKdc(settings, Files.createDirectory(directory.resolve("kdc")).toFile());
    kdc.start();
    for (String name : List.of("zookeeper/localhost", "miller", "baker")) {
      kdc.createPrincipal(keytab(name.replace("/localhost", "")).toFile(), name);
    }
    Path jaas =
        Files.writeString(
            directory.resolve("jaas.conf"),
            """
            Server {
              com.sun.security.auth.module.Krb5LoginModule required
              useKeyTab=true storeKey=true useTicketCache=false
              keyTab="%s" principal="zookeeper/localhost@%s";
            };
            """
                .formatted(keytab("zookeeper"), kdc.getRealm()));
    zooKeeper =
        ZooKeeperServerProcess.start(
            Files.createDirectory(directory.resolve("zookeeper")),
            "clientPort",
            Map.of(
                "authProvider.1",
                "org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
                "enforce.auth.enabled",
                "true",
                "enforce.auth.schemes",
                "sasl"),
            List.of(
                "-Djava.security.auth.login.config=" + jaas,
                "-Djava.security.krb5.conf=" + kdc.getKrb5conf()));
  }

  @AfterAll
  static void stop() {
    if (zooKeeper != null) {
      zooKeeper.close();
    }
    if (kdc != null) {
      kdc.stop();
    }
  }

  private static Path keytab(String user) {
    return directory.resolve(user + ".keytab");
  }

  private static List<String> options(String user) {
    List<String> options = new ArrayList<>();
    for (String option :
        List.of(
            "high-availability.type=zookeeper",
            "high-availability.zookeeper.quorum=" + zooKeeper.address(),
            "high-availability.zookeeper.client.acl=creator",
            "high-availability.cluster-id=secure",
            "security.kerberos.login.contexts=Client",
            "security.kerberos.krb5-conf.path=" + kdc.getKrb5conf(),
            "security.kerberos.login.keytab=" + keytab(user),
            "security.kerberos.login.principal=" + user + "@" + kdc.getRealm())) {
      options.addAll(List.of("-D", option));
    }
    return options;
  }

  private static Outcome startAs(String name, List<String> options) throws IOException {
    List<String> line =
        new ArrayList<>(
            List.of(
                "cluster",
                "start",
                "--dir",
                SHELL.directory().resolve(name).toString(),
                "--rest-port",
                "0"));
    line.addAll(options);
    return SHELL.millrace(line.toArray(String[]::new));
  }

  @Test
  @Behaviour(
      "B5: all processes of a cluster authenticate at ZooKeeper with their keytab; others get one"
          + " line that says why they are refused")
  void clusterUsesZooKeeperWithKerberos() throws Exception {
    List<String> options = new ArrayList<>(options("miller"));
    options.addAll(List.of("--jobmanagers", "2", "--taskmanagers", "1"));
    try (Cluster cluster = SHELL.startCluster(options.toArray(String[]::new))) {
      Path input = Files.writeString(SHELL.directory().resolve("input.txt"), "the mill the weir\n");
      cluster
          .run(
              Shell.example("word-count.jar").toString(),
              "--input",
              input.toString(),
              "--output",
              SHELL.directory().resolve("counts").toString())
          .succeeded();

      Outcome other = startAs("other", options("baker"));
      assertThat(other.code()).isNotZero();
      assertThat(other.err()).anyMatch(line -> line.contains("no permission for /millrace/secure"));
    }

    List<String> wrong = new ArrayList<>(options("miller"));
    wrong.addAll(List.of("-D", "security.kerberos.login.keytab=" + keytab("baker")));
    Outcome refused = startAs("wrong", wrong);
    assertThat(refused.code()).isNotZero();
    assertThat(refused.err())
        .anyMatch(line -> line.contains("the keytab has no key of that principal"));
  }
}
