package io.millrace.fs.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.ssl.SSLFactory;
import org.apache.hadoop.security.ssl.SSLFactory.Mode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where Hadoop's configuration comes from, without any daemon of Hadoop. */
class HadoopSettingsTest {
  private static final io.millrace.core.config.Configuration NONE =
      io.millrace.core.config.Configuration.EMPTY;

  @TempDir private Path directory;

  @Test
  void nothingIsReadWhereTheEnvironmentNamesNothing() {
    assertThat(HadoopSettings.files(Map.of("HADOOP_CONF_DIR", "", "HADOOP_HOME", ""))).isEmpty();
    assertThat(HadoopSettings.files(Map.of())).isEmpty();
    assertThat(settings(Map.of()).get("fs.defaultFS")).isEqualTo("file:///");
  }

  @Test
  void filesAreThoseOfTheDirectoryInTheirOrder() throws IOException {
    Path yarn = site("yarn-site.xml", "a", "yarn");
    Path core = site("core-site.xml", "a", "core");
    Files.writeString(directory.resolve("mapred-site.xml"), "<configuration/>");

    assertThat(HadoopSettings.files(environment())).containsExactly(core, yarn);
  }

  @Test
  void laterFilesOverruleEarlierOnes() throws IOException {
    site("core-site.xml", "a", "core");
    site("hdfs-site.xml", "a", "hdfs");
    site("yarn-site.xml", "a", "yarn");

    assertThat(settings(environment()).get("a")).isEqualTo("hdfs");
    assertThat(HadoopSettings.ofYarn(environment(), NONE).get("a")).isEqualTo("yarn");
  }

  @Test
  void yarnIsNotReadForFiles() throws IOException {
    site("yarn-site.xml", "only.yarn", "yarn");

    assertThat(settings(environment()).get("only.yarn")).isNull();
  }

  @Test
  void processesCloseTheirFileSystemsThemselves() throws IOException {
    site("core-site.xml", "fs.automatic.close", "true");

    assertThat(settings(environment()).getBoolean("fs.automatic.close", true)).isFalse();
  }

  /** By default a client of S3 that cannot connect retries for minutes. */
  @Test
  void retriesOfS3AreFewUnlessTheFilesSayOtherwise() throws IOException {
    assertThat(settings(Map.of()).getInt("fs.s3a.retry.limit", 7)).isLessThan(7);
    assertThat(settings(Map.of()).getInt("fs.s3a.attempts.maximum", 5)).isLessThan(5);

    site("core-site.xml", "fs.s3a.retry.limit", "9");
    assertThat(settings(environment()).getInt("fs.s3a.retry.limit", 7)).isEqualTo(9);
  }

  @Test
  void configurationDirectoryGoesBeforeHome() throws IOException {
    site("core-site.xml", "a", "named");
    Path home = Files.createDirectories(directory.resolve("home"));
    Path inHome = Files.createDirectories(home.resolve("etc/hadoop"));
    Files.writeString(inHome.resolve("core-site.xml"), xml("a", "home"));

    assertThat(
            settings(
                    Map.of("HADOOP_CONF_DIR", directory.toString(), "HADOOP_HOME", home.toString()))
                .get("a"))
        .isEqualTo("named");
    assertThat(settings(Map.of("HADOOP_HOME", home.toString())).get("a")).isEqualTo("home");
  }

  /** A home without a configuration is not an error: it may be there for other programs. */
  @Test
  void homeWithoutAConfigurationNamesNone() {
    assertThat(HadoopSettings.files(Map.of("HADOOP_HOME", directory.toString()))).isEmpty();
  }

  @Test
  void directoryThatIsNotThereIsNamed() {
    Path missing = directory.resolve("missing");

    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> HadoopSettings.files(Map.of("HADOOP_CONF_DIR", missing.toString())))
        .withMessageContaining("HADOOP_CONF_DIR names " + missing)
        .withMessageContaining("core-site.xml")
        .satisfies(e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER));
  }

  @ParameterizedTest
  @CsvSource({"kerberos, true", "KERBEROS, true", "simple, false", ", false"})
  void securityIsAskedForByTheConfiguration(String authentication, boolean secure) {
    Configuration configuration = new Configuration(false);
    if (authentication != null) {
      configuration.set(HadoopSettings.AUTHENTICATION, authentication);
    }

    assertThat(HadoopSettings.isSecure(configuration)).isEqualTo(secure);
  }

  @Test
  void schemesAreKnownWithoutLoadingHadoop() {
    HadoopFileSystem files = new HadoopFileSystem(Map.of("HADOOP_CONF_DIR", "/no/such/place"));

    assertThat(files.schemes()).contains("hdfs", "s3a", "abfs", "gs").doesNotContain("file");
    assertThatExceptionOfType(MillraceException.class)
        .as("the first use reads the configuration")
        .isThrownBy(() -> files.status(FilePath.parse("hdfs://host/x")));
  }

  @Test
  @Behaviour("B2: options set keys of Hadoop's configuration in each process")
  void optionsOverruleFiles() throws IOException {
    Files.writeString(
        directory.resolve("core-site.xml"),
        xml("a", "core").replace("</property>", "<final>true</final></property>"));
    io.millrace.core.config.Configuration options =
        NONE.with("flink.hadoop.a", "option").with("flink.hadoop.b.c", "other");

    assertThat(HadoopSettings.of(environment(), options).get("a")).isEqualTo("option");
    assertThat(HadoopSettings.ofYarn(environment(), options).get("b.c")).isEqualTo("other");
  }

  @Test
  void timelineServiceIsOff() throws IOException {
    site("yarn-site.xml", "yarn.timeline-service.enabled", "true");

    assertThat(
            HadoopSettings.ofYarn(environment(), NONE)
                .getBoolean("yarn.timeline-service.enabled", true))
        .isFalse();
  }

  @Test
  void trustStoreOfTlsIsRead() throws IOException {
    site("ssl-client.xml", "ssl.client.truststore.location", "/default");
    Configuration found = SSLFactory.readSSLConfiguration(settings(environment()), Mode.CLIENT);
    assertThat(found.get("ssl.client.truststore.location")).isEqualTo("/default");

    site("core-site.xml", "hadoop.ssl.client.conf", "own-tls.xml");
    site("own-tls.xml", "ssl.client.truststore.location", "/own");
    found = SSLFactory.readSSLConfiguration(settings(environment()), Mode.CLIENT);
    assertThat(found.get("ssl.client.truststore.location")).isEqualTo("/own");
  }

  @Test
  void unreadableFileIsAnErrorOfTheUser() throws IOException {
    Files.writeString(directory.resolve("core-site.xml"), "<configuration><property>");

    assertThatExceptionOfType(MillraceException.class)
        .isThrownBy(() -> settings(environment()))
        .withMessageContaining("The configuration of Hadoop in " + directory + " cannot be read")
        .satisfies(e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER));
  }

  private Map<String, String> environment() {
    return Map.of("HADOOP_CONF_DIR", directory.toString());
  }

  private Path site(String name, String key, String value) throws IOException {
    return Files.writeString(directory.resolve(name), xml(key, value));
  }

  private static String xml(String key, String value) {
    return "<configuration><property><name>"
        + key
        + "</name><value>"
        + value
        + "</value></property></configuration>";
  }

  private static Configuration settings(Map<String, String> environment) {
    return HadoopSettings.of(environment, NONE);
  }
}
