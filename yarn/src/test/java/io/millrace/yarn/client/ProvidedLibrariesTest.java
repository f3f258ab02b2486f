package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.error.MillraceException;
import io.millrace.core.testing.Behaviour;
import io.millrace.yarn.MiniHadoop;
import io.millrace.yarn.YarnOptions;
import io.millrace.yarn.launch.StagedFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class ProvidedLibrariesTest {
  @TempDir private java.nio.file.Path home;
  private final Path directory = new Path("/shared/" + UUID.randomUUID());
  private final List<String> report = new ArrayList<>();
  private FileSystem files;
  private EngineArchive engine;

  @BeforeEach
  void prepare() throws IOException {
    files = MiniHadoop.running().files();
    for (String name : List.of("lib/a.jar", "plugins/hadoop/b.jar")) {
      java.nio.file.Path file = home.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, name);
    }
    engine = EngineArchive.of(home, home.resolve("plugins"), "1");
  }

  private ProvidedLibraries libraries(Path... directories) {
    return ProvidedLibraries.of(
        Configuration.EMPTY.with(
            YarnOptions.PROVIDED_LIB_DIRS,
            String.join(";", List.of(directories).stream().map(Path::toString).toList())),
        MiniHadoop.running().configuration());
  }

  @Test
  @Behaviour(
      "A8: libraries are put into the shared directory once, under a unique name, and never in"
          + " part")
  void archiveIsUploadedOnceAndFoundLater() throws IOException {
    StagedFile first = libraries(directory).archive(engine, report::add);
    assertThat(report).singleElement().asString().contains("Uploaded 1 file");
    assertThat(first.link()).isEqualTo("millrace");
    assertThat(first.visibility()).isEqualTo(LocalResourceVisibility.PUBLIC);
    assertThat(first.size()).isEqualTo(engine.archiveLength());
    StagedFile second = libraries(directory).archive(engine, report::add);
    assertThat(second).isEqualTo(first);
    assertThat(report).hasSize(1);
    assertThat(names(directory)).containsExactly(engine.archiveName());
  }

  @Test
  void archiveIsFoundInAnyOfTheDirectories() {
    Path other = new Path("/shared/" + UUID.randomUUID());
    StagedFile there = libraries(other).archive(engine, report::add);
    assertThat(libraries(directory, other).archive(engine, report::add)).isEqualTo(there);
  }

  @Test
  @Behaviour(
      "A8: libraries are put into the shared directory once, under a unique name, and never in"
          + " part")
  void brokenArchiveIsReplaced() throws IOException {
    files.mkdirs(directory);
    try (OutputStream out = files.create(new Path(directory, engine.archiveName()))) {
      out.write(1);
    }
    assertThat(libraries(directory).archive(engine, report::add).size())
        .isEqualTo(engine.archiveLength());
    assertThat(names(directory)).containsExactly(engine.archiveName());
  }

  @Test
  void archiveInAPrivateDirectoryIsSharedAmongApplicationsOfTheUser() throws IOException {
    files.mkdirs(directory);
    files.setPermission(directory, new FsPermission((short) 0700));
    assertThat(libraries(directory).archive(engine, report::add).visibility())
        .isEqualTo(LocalResourceVisibility.PRIVATE);
  }

  @Test
  void furtherJarsAreShipped() throws IOException {
    files.mkdirs(directory);
    for (String name : List.of("z.jar", "driver.jar", "notes.txt")) {
      files.create(new Path(directory, name)).close();
    }
    assertThat(libraries(directory).furtherJars())
        .extracting(StagedFile::link)
        .containsExactly("provided/driver.jar", "provided/z.jar");
  }

  private List<String> names(Path place) throws IOException {
    List<String> names = new ArrayList<>();
    for (FileStatus one : files.listStatus(place)) {
      names.add(one.getPath().getName());
    }
    return names;
  }

  @Test
  @Behaviour("A8: a shared library directory that only this machine has is refused")
  void directoryOfThisMachineIsRefused() {
    assertThatThrownBy(() -> libraries(new Path("file:///opt/millrace")))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("yarn.provided.lib.dirs names file:/opt/millrace")
        .hasMessageContaining("which the nodes of YARN do not have");
  }
}
