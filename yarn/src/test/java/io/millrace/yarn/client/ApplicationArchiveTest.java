package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.ConfigurationFile;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.TaskManagerOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.yarn.launch.ContainerLayout;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApplicationArchiveTest {
  @TempDir private Path directory;
  private Path hadoop;
  private Path conf;
  private Map<String, String> environment;

  @BeforeEach
  void writeConfigurations() throws IOException {
    hadoop = Files.createDirectory(directory.resolve("hadoop"));
    Files.writeString(hadoop.resolve("core-site.xml"), "<configuration/>");
    Files.writeString(hadoop.resolve("yarn-site.xml"), "<configuration/>");
    conf = Files.createDirectory(directory.resolve("conf"));
    environment =
        Map.of(
            "HADOOP_CONF_DIR",
            hadoop.toString(),
            ConfigurationFile.DIRECTORY_VARIABLE,
            conf.toString());
  }

  @Test
  void archiveHasTheEffectiveConfigurationAndThatOfHadoop() throws Exception {
    Configuration effective = Configuration.EMPTY.with(TaskManagerOptions.NUM_TASK_SLOTS, 7);
    Map<String, String> files = unzip(archive(effective, Map.of()));
    assertThat(files)
        .containsKeys("hadoop/core-site.xml", "hadoop/yarn-site.xml")
        .doesNotContainKeys("job.graph", "logback.xml");
    assertThat(files.get(ConfigurationFile.NAME)).contains("taskmanager.numberOfTaskSlots", "7");
  }

  @Test
  void secretsAreInTheArchive() throws Exception {
    Map<String, byte[]> secrets =
        Map.of(ContainerLayout.SECRET, "hidden".getBytes(StandardCharsets.UTF_8));
    assertThat(unzip(archive(Configuration.EMPTY, secrets))).containsEntry("secret", "hidden");
  }

  @Test
  void loggingOfTheUserIsUsedIfThereIsSome() throws Exception {
    assertThat(archive(Configuration.EMPTY, Map.of()).logging()).isEmpty();
    Files.writeString(conf.resolve("logback.xml"), "<configuration/>");
    ApplicationArchive archive = archive(Configuration.EMPTY, Map.of());
    assertThat(archive.logging()).contains("application/logback.xml");
    assertThat(unzip(archive)).containsKey("logback.xml");
  }

  @Test
  void fileThatCannotBeReadIsNamed() throws Exception {
    Files.createDirectory(conf.resolve("logback.xml"));
    assertThatThrownBy(() -> archive(Configuration.EMPTY, Map.of()))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(conf.resolve("logback.xml").toString());
  }

  private ApplicationArchive archive(Configuration effective, Map<String, byte[]> secrets) {
    return ApplicationArchive.of(
        DeploymentSpec.ofSession(Configuration.EMPTY),
        effective,
        secrets,
        HadoopContext.of(Configuration.EMPTY, environment));
  }

  private static Map<String, String> unzip(ApplicationArchive archive) throws IOException {
    Map<String, String> files = new LinkedHashMap<>();
    try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(archive.bytes()))) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        files.put(entry.getName(), new String(in.readAllBytes(), StandardCharsets.UTF_8));
      }
    }
    return files;
  }
}
