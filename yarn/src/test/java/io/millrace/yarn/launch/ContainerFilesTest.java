package io.millrace.yarn.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContainerFilesTest {
  @TempDir private Path directory;

  @Test
  @Behaviour("A8: a container unpacks configuration, job graph and secrets for its user only")
  void unpacksTheFilesOfTheApplicationForTheirOwnerOnly() throws IOException {
    archive(Map.of("config.yaml", "a: b", "hadoop/core-site.xml", "<configuration/>"));
    ContainerFiles.unpack(Map.of(), directory);
    Path hadoop = directory.resolve(ContainerLayout.HADOOP_CONFIGURATION);
    assertThat(directory.resolve("application/config.yaml")).hasContent("a: b");
    assertThat(hadoop.resolve("core-site.xml")).hasContent("<configuration/>");
    assertThat(permissions(hadoop.resolve("core-site.xml"))).isEqualTo("rw-------");
    assertThat(permissions(hadoop)).isEqualTo("rwx------");
  }

  /** YARN may start a container again in the same directory. */
  @Test
  void replacesFilesOfAnEarlierStart() throws IOException {
    archive(Map.of("config.yaml", "first and longer"));
    ContainerFiles.unpack(Map.of(), directory);
    archive(Map.of("config.yaml", "second"));
    ContainerFiles.unpack(Map.of(), directory);
    assertThat(directory.resolve("application/config.yaml")).hasContent("second");
  }

  @Test
  void entryOutsideOfTheDirectoryIsRefused() throws IOException {
    archive(Map.of("../outside", "text"));
    assertThatThrownBy(() -> ContainerFiles.unpack(Map.of(), directory))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("'../outside'")
        .hasMessageContaining(ContainerLayout.APPLICATION_ARCHIVE);
    assertThat(directory.resolve("outside")).doesNotExist();
  }

  @Test
  void archiveThatIsCutIsNamed() throws IOException {
    archive(Map.of("config.yaml", "text ".repeat(1000)));
    Path archive = directory.resolve(ContainerLayout.APPLICATION_ARCHIVE);
    byte[] whole = Files.readAllBytes(archive);
    Files.write(archive, Arrays.copyOf(whole, 45));
    assertThatThrownBy(() -> ContainerFiles.unpack(Map.of(), directory))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(archive.toString());
  }

  @Test
  void processWithoutAnArchiveGetsNoFiles() {
    ContainerFiles.unpack(Map.of(), directory);
    assertThat(directory).isEmptyDirectory();
  }

  private void archive(Map<String, String> files) throws IOException {
    try (OutputStream out =
            Files.newOutputStream(directory.resolve(ContainerLayout.APPLICATION_ARCHIVE));
        ZipOutputStream zip = new ZipOutputStream(out)) {
      for (Map.Entry<String, String> file : files.entrySet()) {
        zip.putNextEntry(new ZipEntry(file.getKey()));
        zip.write(file.getValue().getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }
}
