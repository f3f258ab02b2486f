package io.millrace.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.plugin.Plugins;
import io.millrace.core.testplugin.MaskedFiles;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSystemsTest {
  @TempDir Path directory;

  @Test
  void localFilesNeedNoPlugin() {
    assertThat(FileSystems.withoutPlugins().of(FilePath.parse("a/b")))
        .isInstanceOf(LocalFileSystem.class);
    assertThat(FileSystems.withoutPlugins().of(FilePath.parse("file:///a/b")))
        .isInstanceOf(LocalFileSystem.class);
  }

  @Test
  void pluginServesItsScheme() throws Exception {
    MaskedFiles.write(directory, "masked", "Masked", 1);
    try (Plugins plugins = load()) {
      FileSystems files = FileSystems.of(plugins, Configuration.EMPTY);
      assertThat(files.schemes()).containsExactly("file", "masked");
      assertThat(files.of(FilePath.parse("MASKED://x/y")).schemes()).containsExactly("Masked");
    }
  }

  @Test
  void errorOfAnUnknownSchemeNamesTheKnownOnesAndThePluginsDirectory() throws Exception {
    MaskedFiles.write(directory, "masked", "masked", 1);
    try (Plugins plugins = load()) {
      assertThatThrownBy(
              () ->
                  FileSystems.of(plugins, Configuration.EMPTY).of(FilePath.parse("hdfs://host/x")))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
          .hasMessageContainingAll(
              "scheme 'hdfs' of hdfs://host/x", "known are file, masked.", "under " + directory);
    }
  }

  @Test
  void errorOfAnUnknownSchemeExplainsHowToSetThePluginsDirectory() {
    assertThatThrownBy(() -> FileSystems.withoutPlugins().of(FilePath.parse("hdfs://host/x")))
        .hasMessageContainingAll("known are file.", "class path", "MILLRACE_PLUGINS_DIR");
  }

  @Test
  void twoPluginsForOneSchemeAreRejected() throws Exception {
    MaskedFiles.write(directory, "one", "masked", 1);
    MaskedFiles.write(directory, "two", "masked", 2);
    try (Plugins plugins = load()) {
      assertThatThrownBy(() -> FileSystems.of(plugins, Configuration.EMPTY))
          .hasMessageContainingAll("plugin 'one'", "plugin 'two'", "'masked'", "Remove one");
    }
  }

  @Test
  void pluginForLocalFilesIsRejected() throws Exception {
    MaskedFiles.write(directory, "greedy", "file", 1);
    try (Plugins plugins = load()) {
      assertThatThrownBy(() -> FileSystems.of(plugins, Configuration.EMPTY))
          .hasMessageContainingAll("plugin 'greedy'", "'file', which is built in");
    }
  }

  @Test
  void storageWithoutAtomicRenameIsRejectedForFencing(@TempDir Path stored) throws Exception {
    MaskedFiles.write(directory, "masked", "masked", 1);
    FilePath root = FilePath.parse("masked://" + stored + "/several-steps");
    try (Plugins plugins = load()) {
      FileSystem system = FileSystems.of(plugins, Configuration.EMPTY).of(root);
      assertThatThrownBy(() -> FencedDirectory.take(system, root, "me"))
          .isInstanceOfSatisfying(
              MillraceException.class, e -> assertThat(e.kind()).isEqualTo(ErrorKind.USER))
          .hasMessageContainingAll(root.toString(), "is on storage without atomic rename", "HDFS");
    }
    assertThat(stored.resolve("several-steps")).isEmptyDirectory();
  }

  private Plugins load() {
    return Plugins.load(directory, List.of());
  }
}
