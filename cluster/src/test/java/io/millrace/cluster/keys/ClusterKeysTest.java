package io.millrace.cluster.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.TlsOptions;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.core.tls.ClusterKeyFiles;
import io.millrace.core.tls.InternalTls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterKeysTest {
  private final Instant now = Instant.now();

  @TempDir Path temporary;
  private Path directory;

  @BeforeEach
  void setUp() {
    directory = temporary.resolve("cluster/keys");
  }

  @Test
  @Behaviour("I4: only their owner can read the keys of a cluster, and they are never overwritten")
  void onlyTheOwnerCanReadTheFiles() throws IOException {
    ClusterKeys keys = ClusterKeys.create(directory, now);
    keys.jobManager("jobmanager", List.of("127.0.0.1"), now);
    keys.worker(new WorkerId("one"), directory.resolve("one.jks"), now);
    assertThat(permissions(directory)).isEqualTo("rwx------");
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.toList())
          .hasSize(7)
          .allSatisfy(file -> assertThat(permissions(file)).isEqualTo("rw-------"));
    }
  }

  @Test
  @Behaviour("I4: only their owner can read the keys of a cluster, and they are never overwritten")
  void existingKeysStay() throws IOException {
    ClusterKeys keys = ClusterKeys.create(directory, now);
    assertThatThrownBy(() -> ClusterKeys.create(directory, now))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("exists already");
    assertThat(ClusterKeys.open(directory).fingerprint()).isEqualTo(keys.fingerprint());
    assertThat(ClusterKeys.open(directory).readSecret()).isEqualTo(keys.readSecret());
  }

  @Test
  void refusesAnAuthorityThatOthersCanRead() throws IOException {
    ClusterKeys.create(directory, now);
    Files.setPosixFilePermissions(
        directory.resolve("authority.jks"), PosixFilePermissions.fromString("rw-r-----"));
    assertThatThrownBy(() -> ClusterKeys.open(directory)).hasMessageContaining("chmod 600");
  }

  @Test
  void keysOfProcessesConfigureMutualTls() throws IOException {
    ClusterKeys keys = ClusterKeys.create(directory, now);
    Configuration jobManager =
        keys.jobManager("jobmanager", List.of("127.0.0.1"), now).in(Configuration.EMPTY);
    assertThat(InternalTls.of(jobManager)).isPresent();
    assertThat(jobManager.get(TlsOptions.VERIFY_WORKER)).isTrue();
    assertThat(ClusterKeys.areUsed(jobManager, directory)).isTrue();
    assertThat(ClusterKeys.areUsed(Configuration.EMPTY, directory)).isFalse();
    assertThat(ClusterKeys.areUsed(jobManager, temporary)).isFalse();
  }

  @Test
  @Behaviour("I4: a TaskManager cannot pose as another one, nor send what only JobManagers send")
  void noTaskManagerGetsTheNameOfJobManagers() throws IOException {
    ClusterKeys keys = ClusterKeys.create(directory, now);
    for (String name : List.of(ClusterKeyFiles.JOB_MANAGER, "JobManager")) {
      assertThatThrownBy(
              () -> keys.worker(new WorkerId(name), directory.resolve("worker.jks"), now))
          .hasMessageContaining("name of JobManagers");
      assertThatThrownBy(() -> keys.remoteWorker(new WorkerId(name), now, "a password", now))
          .hasMessageContaining("name of JobManagers");
    }
  }

  private static String permissions(Path file) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
