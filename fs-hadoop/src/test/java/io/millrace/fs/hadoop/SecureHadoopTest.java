package io.millrace.fs.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.security.KerberosLogin;
import io.millrace.core.testing.Behaviour;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.kerby.kerberos.kerb.crypto.EncryptionHandler;
import org.apache.kerby.kerberos.kerb.keytab.Keytab;
import org.apache.kerby.kerberos.kerb.keytab.KeytabEntry;
import org.apache.kerby.kerberos.kerb.type.KerberosTime;
import org.apache.kerby.kerberos.kerb.type.base.EncryptionType;
import org.apache.kerby.kerberos.kerb.type.base.PrincipalName;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uses an HDFS with Kerberos and a MiniKdc. */
@Tag("slow")
class SecureHadoopTest {
  @TempDir static Path storage;
  private static MiniKdc kdc;
  private static MiniDFSCluster cluster;
  private static Path keytab;
  private static Map<String, String> environment;

  @BeforeAll
  static void start() throws Exception {
    Properties settings = MiniKdc.createConf();
    kdc = new MiniKdc(settings, Files.createDirectory(storage.resolve("kdc")).toFile());
    kdc.start();
    // A realm without a server.
    Path conf = kdc.getKrb5conf().toPath();
    Files.writeString(
        conf,
        Files.readString(conf)
            .replace("[realms]", "[realms]\n    CLOSED = {\n        kdc = localhost:1\n    }\n"));
    keytab = storage.resolve("keytab");
    kdc.createPrincipal(keytab.toFile(), "hdfs/localhost", "HTTP/localhost", "miller");

    Configuration secure = secure();
    UserGroupInformation.setConfiguration(secure);
    cluster =
        new MiniDFSCluster.Builder(secure, storage.resolve("dfs").toFile()).numDataNodes(1).build();
    cluster.waitActive();
    cluster
        .getFileSystem()
        .setPermission(
            new org.apache.hadoop.fs.Path("/"),
            new org.apache.hadoop.fs.permission.FsPermission("777"));
    Path directory = Files.createDirectory(storage.resolve("conf"));
    Configuration client = new Configuration(false);
    client.set("fs.defaultFS", cluster.getURI().toString());
    for (String key :
        new String[] {"hadoop.security.authentication", "dfs.namenode.kerberos.principal"}) {
      client.set(key, secure.get(key));
    }
    // Connections are not reused, so that each call authenticates again.
    client.setInt("ipc.client.connection.maxidletime", 0);
    try (OutputStream out = Files.newOutputStream(directory.resolve("core-site.xml"))) {
      client.writeXml(out);
    }
    environment = Map.of("HADOOP_CONF_DIR", directory.toString());
  }

  private static Configuration secure() {
    Configuration secure = new Configuration();
    String service = "hdfs/localhost@" + kdc.getRealm();
    secure.set("hadoop.security.authentication", "kerberos");
    secure.set("dfs.namenode.kerberos.principal", service);
    secure.set("dfs.namenode.keytab.file", keytab.toString());
    secure.set("dfs.datanode.kerberos.principal", service);
    secure.set("dfs.datanode.keytab.file", keytab.toString());
    secure.set("dfs.web.authentication.kerberos.principal", "HTTP/localhost@" + kdc.getRealm());
    secure.set("dfs.web.authentication.kerberos.keytab", keytab.toString());
    secure.setBoolean("dfs.block.access.token.enable", true);
    secure.setBoolean("ignore.secure.ports.for.testing", true);
    return secure;
  }

  @AfterAll
  static void stop() {
    cluster.shutdown(true);
    kdc.stop();
    UserGroupInformation.reset();
  }

  @Test
  @Behaviour("B5: with a keytab TaskManagers get new tokens and run on after the first ones expire")
  void tokenOfLoggedInProcessAuthenticatesOtherProcesses() throws Exception {
    Path token = storage.resolve("token");
    assertThat(runClient("write", token, keytab.toString(), "miller@" + kdc.getRealm()))
        .contains("As miller@" + kdc.getRealm() + " by Kerberos", "Lasts: true");
    assertThat(runClient("read-with-nothing", token)).doesNotContain("Read").contains("KERBEROS");
    assertThat(runClient("read-with-token", token)).contains("Read stone");
  }

  @Test
  @Behaviour("B5: a failed login says which of keytab, principal and server is wrong")
  void failedLoginIsReportedWithAdvice() throws Exception {
    Path wrong = storage.resolve("wrong.keytab");
    Keytab keys = new Keytab();
    for (String principal :
        List.of("miller@EXAMPLE.COM", "baker@EXAMPLE.COM", "miller@CLOSED", "miller@ELSEWHERE")) {
      for (EncryptionType type :
          List.of(EncryptionType.AES128_CTS_HMAC_SHA1_96, EncryptionType.AES256_CTS_HMAC_SHA1_96)) {
        keys.addEntry(
            new KeytabEntry(
                new PrincipalName(principal),
                KerberosTime.now(),
                1,
                EncryptionHandler.string2Key(principal, "guessed", type)));
      }
    }
    keys.store(wrong.toFile());
    String output =
        runClient(
            "log-in",
            storage.resolve("none"),
            wrong.toString(),
            "stranger@EXAMPLE.COM",
            "miller@EXAMPLE.COM",
            "baker@EXAMPLE.COM",
            "miller@CLOSED",
            "miller@ELSEWHERE");
    String with = " with keytab " + wrong + " failed: ";
    assertThat(output)
        .contains(
            "USER The Kerberos login of stranger@EXAMPLE.COM" + with + "the keytab has no key",
            "USER The Kerberos login of miller@EXAMPLE.COM" + with + "the key in the keytab is not",
            "USER The Kerberos login of baker@EXAMPLE.COM" + with + "Kerberos does not know",
            "EXTERNAL The Kerberos login of miller@CLOSED" + with + "the Kerberos server cannot be",
            "EXTERNAL The Kerberos login of miller@ELSEWHERE"
                + with
                + "the address of the Kerberos server");
  }

  /** Runs {@link SecureHdfsClient} in another process and returns its output. */
  private static String runClient(String what, Path token, String... more) throws Exception {
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Djava.security.krb5.conf=" + kdc.getKrb5conf(),
                "-cp",
                System.getProperty("java.class.path"),
                SecureHdfsClient.class.getName(),
                what,
                token.toString()));
    line.addAll(List.of(more));
    Path printed = Files.createTempFile(storage, what, ".out");
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(printed.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(what).isTrue();
      return Files.readString(printed);
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void reportsConfigurationWithoutKerberos() {
    KerberosLogin login = new KerberosLogin(keytab, "miller@" + kdc.getRealm());
    assertThatThrownBy(() -> HadoopSecurityModule.login(login, new Configuration()))
        .hasMessageContaining("hadoop.security.authentication is simple");
  }

  @Test
  void obtainsNoTokenWithoutHadoop() throws Exception {
    assertThat(
            new HadoopTokenProvider(Map.of()).obtain(io.millrace.core.config.Configuration.EMPTY))
        .isEmpty();
  }
}
