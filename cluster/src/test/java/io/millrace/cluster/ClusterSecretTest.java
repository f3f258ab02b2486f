package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterSecretTest {
  @TempDir Path directory;

  @Test
  void readsFileThatOnlyOwnerCanRead() throws IOException {
    // The last permissions are those of files that YARN localises.
    for (String permissions : List.of("rw-------", "r--------", "r-x------")) {
      Path file = secret("0123456789abcdef", permissions);
      assertThat(ClusterSecret.read(configuration(file)).length()).as(permissions).isEqualTo(16);
      Files.delete(file);
    }
  }

  @Test
  void rejectsFileThatOthersCanRead() throws IOException {
    for (String permissions :
        List.of("rw-r-----", "rw--w----", "r-x--x---", "rw----r--", "r-x-----x")) {
      Path file = secret("0123456789abcdef", permissions);
      assertThatThrownBy(() -> ClusterSecret.read(configuration(file)))
          .as(permissions)
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("chmod 600 " + file);
      Files.delete(file);
    }
  }

  @Test
  void rejectsShortSecret() throws IOException {
    Path file = secret("short", "rw-------");
    assertThatThrownBy(() -> ClusterSecret.read(configuration(file)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("less than 16 bytes");
  }

  @Test
  void namesOptionOfMissingFile() {
    assertThatThrownBy(() -> ClusterSecret.read(configuration(directory.resolve("absent"))))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("There is no secret file")
        .hasMessageContaining(SecurityOptions.CLUSTER_SECRET_FILE.key());
  }

  private Path secret(String content, String permissions) throws IOException {
    Path file = directory.resolve("secret");
    Files.writeString(file, content);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    return file;
  }

  private static Configuration configuration(Path file) {
    return Configuration.EMPTY.with(SecurityOptions.CLUSTER_SECRET_FILE, file);
  }
}
