package io.millrace.fs.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShippedHadoopFilesTest {
  @TempDir private Path directory;

  private Map<String, byte[]> shipped() {
    Map<String, String> environment = Map.of("HADOOP_CONF_DIR", directory.toString());
    return ShippedHadoopFiles.of(
        environment,
        HadoopSettings.ofYarn(environment, io.millrace.core.config.Configuration.EMPTY));
  }

  private Configuration shipped(String name) {
    Configuration read = new Configuration(false);
    read.addResource(new ByteArrayInputStream(shipped().get(name)));
    return read;
  }

  private void site(String name, String content) throws IOException {
    Files.writeString(
        directory.resolve(name),
        "<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\">"
            + content
            + "</configuration>");
  }

  private static String property(String key, String value) {
    return "<property><name>" + key + "</name><value>" + value + "</value></property>";
  }

  @Test
  @Behaviour(
      "A8: containers get the effective configuration of Hadoop, with what its files include")
  void includedFilesAreResolved() throws IOException {
    site(
        "core-site.xml",
        "<xi:include href=\"common.xml\"/>"
            + "<property><name>fixed</name><value>x &lt; y</value><final>true</final></property>");
    site("common.xml", property("fs.defaultFS", "hdfs://one") + property("tmp", "/${user.name}"));
    Configuration core = shipped("core-site.xml");
    assertThat(core.get("fs.defaultFS")).isEqualTo("hdfs://one");
    assertThat(core.get("fixed")).isEqualTo("x < y");
    assertThat(core.getFinalParameters()).containsExactly("fixed");
    assertThat(core.getRaw("tmp")).isEqualTo("/${user.name}");
    assertThat(shipped()).containsOnlyKeys("core-site.xml");
  }

  @Test
  void missingIncludedFileIsAnErrorOfTheUser() throws IOException {
    site("core-site.xml", "<xi:include href=\"missing.xml\"/>");
    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(this::shipped)
        .withMessageContaining("cannot be read");
  }

  @Test
  @Behaviour("A8: secrets of Hadoop's servers stay at the client")
  void secretsOfServersAreLeftOut() throws IOException {
    site(
        "core-site.xml",
        property("hadoop.security.group.mapping.ldap.bind.password", "ldap")
            + property("ha.zookeeper.auth", "digest:hdfs:x")
            + property("hadoop.zk.auth", "digest:yarn:x")
            + property("hadoop.security.token.service.use_ip", "false")
            + property("fs.s3a.secret.key", "s3"));
    site("yarn-site.xml", property("yarn.resourcemanager.zk-auth", "digest:yarn:x"));
    Configuration core = shipped("core-site.xml");
    assertThat(core.get("hadoop.security.group.mapping.ldap.bind.password")).isNull();
    assertThat(core.get("ha.zookeeper.auth")).isNull();
    assertThat(core.get("hadoop.zk.auth")).isNull();
    assertThat(core.get("hadoop.security.token.service.use_ip")).isEqualTo("false");
    assertThat(core.get("fs.s3a.secret.key")).as("the jobs use it").isEqualTo("s3");
    assertThat(shipped("yarn-site.xml").size()).isZero();
  }

  @Test
  void keyStoreOfTlsClientsIsUsableOnlyIfServersRequireIt() throws IOException {
    site(
        "ssl-client.xml",
        property("ssl.client.truststore.location", "/trust")
            + property("ssl.client.truststore.password", "trusted")
            + property("ssl.client.keystore.password", "own"));
    Configuration tls = shipped("ssl-client.xml");
    assertThat(tls.get("ssl.client.truststore.location")).isEqualTo("/trust");
    assertThat(tls.get("ssl.client.truststore.password")).isEqualTo("trusted");
    assertThat(tls.get("ssl.client.keystore.password")).isNull();

    site("core-site.xml", property("hadoop.ssl.require.client.cert", "true"));
    assertThat(shipped("ssl-client.xml").get("ssl.client.keystore.password")).isEqualTo("own");
  }
}
