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
  void readsAFileThatOnlyItsOwnerCanRead() throws IOException {
    // The last one as YARN localises it.
    for (String rights : List.of("rw-------", "r--------", "r-x------")) {
      Path file = secret("0123456789abcdef", rights);
      assertThat(ClusterSecret.read(configuration(file)).length()).as(rights).isEqualTo(16);
      Files.delete(file);
    }
  }

  @Test
  void refusesAFileThatIsOpenToOthers() throws IOException {
    for (String rights : List.of("rw-r-----", "rw--w----", "r-x--x---", "rw----r--", "r-x-----x")) {
      Path file = secret("0123456789abcdef", rights);
      assertThatThrownBy(() -> ClusterSecret.read(configuration(file)))
          .as(rights)
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("chmod 600 " + file);
      Files.delete(file);
    }
  }

  @Test
  void refusesASecretThatCouldBeGuessed() throws IOException {
    Path file = secret("short", "rw-------");
    assertThatThrownBy(() -> ClusterSecret.read(configuration(file)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("less than 16 bytes");
  }

  @Test
  void namesTheOptionWhereTheFileIsMissing() {
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
