package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileHashesTest {
  @TempDir private Path directory;

  @Test
  void keyIsThatOfTheContentAlsoOfFilesLargerThanTheBuffer() throws IOException {
    for (int size : new int[] {0, 1, 64 * 1024, 64 * 1024 + 1, 200_000}) {
      byte[] content = new byte[size];
      for (int i = 0; i < size; i++) {
        content[i] = (byte) (i * 31);
      }
      Path file = Files.write(directory.resolve("blob"), content);
      assertThat(FileHashes.of(file)).isEqualTo(BlobKey.of(Bytes.wrap(content)));
    }
  }

  @Test
  void missingFileIsAnErrorOfTheUserThatNamesIt() {
    Path missing = directory.resolve("missing.jar");
    assertThatThrownBy(() -> FileHashes.of(missing))
        .isInstanceOfSatisfying(
            MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
        .hasMessageContaining("The jar " + missing + " cannot be read")
        .hasMessageContaining("Check that it exists");
  }
}
