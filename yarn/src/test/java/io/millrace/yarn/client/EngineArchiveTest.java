package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineArchiveTest {
  @TempDir private Path home;

  @Test
  void classPathIsSortedByDirectoryAndName() throws IOException {
    make("lib/b.jar");
    make("lib/a.jar");
    make("lib/notes.txt");
    make("lib/server/c.jar");
    make("plugins/hadoop/h.jar");
    make("plugins/hadoop/lib/z.jar");
    make("plugins/other/o.jar");
    make("conf/config.yaml");
    EngineArchive engine = EngineArchive.of(home, home.resolve("plugins"), "1.0");
    assertThat(engine.classPath())
        .containsExactly(
            "millrace/lib/a.jar",
            "millrace/lib/b.jar",
            "millrace/lib/server/c.jar",
            "millrace/plugins/hadoop/h.jar",
            "millrace/plugins/hadoop/lib/z.jar");
    assertThat(engine.files())
        .extracting(TarWriter.Entry::name)
        .contains("plugins/other/o.jar", "lib/notes.txt")
        .doesNotContain("conf/config.yaml");
  }

  @Test
  @Behaviour(
      "A8: libraries are put into the shared directory once, under a unique name, and never in"
          + " part")
  void archiveHasTheSameNameUntilAFileChanges() throws IOException {
    make("lib/a.jar");
    make("plugins/hadoop/h.jar");
    String name = EngineArchive.of(home, home.resolve("plugins"), "1.0").archiveName();
    assertThat(name).matches("millrace-1\\.0-[0-9a-f]{16}\\.tar");
    assertThat(EngineArchive.of(home, home.resolve("plugins"), "1.0").archiveName())
        .isEqualTo(name);
    Files.setLastModifiedTime(home.resolve("lib/a.jar"), FileTime.fromMillis(1));
    assertThat(EngineArchive.of(home, home.resolve("plugins"), "1.0").archiveName())
        .isNotEqualTo(name);
  }

  /** {@code MILLRACE_PLUGINS_DIR} names such a directory. */
  @Test
  @Behaviour("A8: the plugins of another directory are shipped in place of the distribution's")
  void pluginsOfAnotherDirectoryAreShipped() throws IOException {
    make("lib/a.jar");
    make("plugins/hadoop/h.jar");
    make("elsewhere/hadoop/h.jar");
    make("elsewhere/s3/s.jar");
    Files.createSymbolicLink(
        home.resolve("elsewhere/linked"), home.resolve("elsewhere/s3").toAbsolutePath());
    assertThat(EngineArchive.of(home, home.resolve("elsewhere"), "1.0").files())
        .extracting(TarWriter.Entry::name)
        .containsExactly(
            "lib/a.jar", "plugins/hadoop/h.jar", "plugins/linked/s.jar", "plugins/s3/s.jar");
  }

  private void make(String name) throws IOException {
    Path file = home.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, name);
  }
}
