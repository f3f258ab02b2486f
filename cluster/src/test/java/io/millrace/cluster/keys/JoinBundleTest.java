package io.millrace.cluster.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JoinBundleTest {
  private final Instant now = Instant.now();

  @TempDir Path temporary;
  private Path file;
  private JoinBundle bundle;

  @BeforeEach
  void setUp() throws IOException {
    file = temporary.resolve("worker.bundle");
    bundle =
        JoinBundle.of(
            ClusterKeys.create(temporary.resolve("keys"), now),
            new WorkerId("taskmanager-a"),
            Configuration.EMPTY.with(JobManagerOptions.ADDRESS, "192.0.2.7"),
            now,
            now.plus(Duration.ofDays(1)));
  }

  @Test
  void fileRoundTrips() throws IOException {
    bundle.write(file);
    assertThat(JoinBundle.read(file)).isEqualTo(bundle);
    assertThat(bundle.options()).containsEntry("jobmanager.rpc.address", "192.0.2.7");
  }

  @Test
  @Behaviour("I4: a bundle lets one TaskManager join; only its owner can read it")
  void onlyTheOwnerCanReadTheFile() throws IOException {
    bundle.write(file);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(() -> JoinBundle.read(file)).hasMessageContaining("chmod 600");
  }

  @Test
  void existingFileStays() throws IOException {
    Files.writeString(file, "notes");
    assertThatThrownBy(() -> bundle.write(file))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("exists already");
    assertThat(file).hasContent("notes");
  }

  @Test
  @Behaviour("I4: a damaged, expired or foreign bundle is refused with the reason")
  void everyDamageIsNoticed() throws IOException {
    bundle.write(file);
    List<String> lines = Files.readAllLines(file);
    for (int line = 3; line < lines.size(); line++) {
      List<String> changed = new ArrayList<>(lines);
      String text = lines.get(line);
      changed.set(line, (text.charAt(0) == 'A' ? 'B' : 'A') + text.substring(1));
      Files.write(file, changed);
      assertThatThrownBy(() -> JoinBundle.read(file)).hasMessageContaining("damaged");
      changed.remove(line);
      Files.write(file, changed);
      assertThatThrownBy(() -> JoinBundle.read(file)).hasMessageContaining("damaged");
    }
  }

  @Test
  @Behaviour("I4: a damaged, expired or foreign bundle is refused with the reason")
  void otherFilesAreNoBundles() throws IOException {
    bundle.write(file);
    for (String text : List.of("", "rest.port: 8081\n", "millrace join bundle 2\nAAAA\n")) {
      Files.writeString(file, text);
      assertThatThrownBy(() -> JoinBundle.read(file)).hasMessageContaining("is not a bundle");
    }
    Files.write(file, new byte[1 << 20]);
    assertThatThrownBy(() -> JoinBundle.read(file)).hasMessageContaining("is not a bundle");
    assertThatThrownBy(() -> JoinBundle.read(temporary.resolve("nothing")))
        .hasMessageContaining("There is no file");
  }

  @Test
  @Behaviour("I4: a damaged, expired or foreign bundle is refused with the reason")
  void expiredBundleIsRefused() {
    assertThatCode(() -> bundle.checkValid(now.plus(Duration.ofHours(23))))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> bundle.checkValid(now.plus(Duration.ofDays(1))))
        .hasMessageContaining("has expired")
        .hasMessageContaining("millrace cluster bundle");
  }

  @Test
  void idIsAlsoAFileName() {
    for (String id : List.of("../etc", "a/b", "", ".hidden", "a b")) {
      assertThatThrownBy(
              () ->
                  new JoinBundle(
                      id,
                      bundle.expires(),
                      bundle.options(),
                      bundle.keyStore(),
                      bundle.password(),
                      bundle.secret()))
          .hasMessageContaining("id");
    }
  }

  @Test
  void textDoesNotShowSecrets() {
    assertThat(bundle.toString()).doesNotContain(bundle.secret()).doesNotContain(bundle.password());
  }
}
