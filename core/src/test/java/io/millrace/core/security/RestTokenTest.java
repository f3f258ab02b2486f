package io.millrace.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RestTokenTest {
  @TempDir private Path directory;

  @Test
  void readsTheConfiguredFile() throws IOException {
    Path file = directory.resolve("token");
    PrivateFile.create(file, "0123456789abcdef\n");
    assertThat(RestToken.of(named(file))).hasValue("0123456789abcdef");
    assertThat(RestToken.of(Configuration.EMPTY)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-r-----", "rw----r--", "rw--w----", "rw-----w-"})
  void rejectsFileThatOtherUsersCanAccess(String mode) throws IOException {
    Path file = directory.resolve("token");
    PrivateFile.create(file, "0123456789abcdef");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    assertThatThrownBy(() -> RestToken.of(named(file)))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("chmod 600 " + file);
  }

  @Test
  void rejectsShortToken() throws IOException {
    Path file = directory.resolve("token");
    PrivateFile.create(file, "short");
    assertThatThrownBy(() -> RestToken.of(named(file))).hasMessageContaining("at least 16");
  }

  private static Configuration named(Path file) {
    return Configuration.EMPTY.with(SecurityOptions.REST_TOKEN_FILE, file);
  }
}
