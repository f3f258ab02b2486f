package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CdsArchiveTest {
  private static final List<String> CLASS_PATH = List.of("millrace/lib/a.jar");

  @TempDir private Path directory;
  private final List<String> report = new ArrayList<>();
  private Path home;

  @BeforeEach
  void prepare() throws IOException {
    home = directory.resolve("distribution");
    Path jar = Files.createDirectories(home.resolve("lib")).resolve("a.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      out.putNextEntry(new JarEntry("some.txt"));
      out.closeEntry();
    }
  }

  @Test
  void archiveWorksInAnotherDirectoryAndIsMadeOnce() throws Exception {
    Files.writeString(home.resolve("server.classes"), "java/lang/Object\njava/lang/String\n");
    Path archive = new CdsArchive(home).find(CLASS_PATH, report::add).orElseThrow();
    long made = Files.getLastModifiedTime(archive).toMillis();
    assertThat(new CdsArchive(home).find(CLASS_PATH, report::add)).contains(archive);
    assertThat(Files.getLastModifiedTime(archive).toMillis()).isEqualTo(made);
    try (Stream<Path> left = Files.list(home)) {
      assertThat(left.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("lib", "server.classes", "container.jsa");
    }
    Path container = Files.createDirectory(directory.resolve("container"));
    Files.createSymbolicLink(container.resolve("millrace"), home);
    // With `on`, the JVM fails if it cannot use the archive.
    Process java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:on",
                "-XX:SharedArchiveFile=millrace/container.jsa",
                "-cp",
                CLASS_PATH.get(0) + ":further.jar",
                "-version")
            .directory(container.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(java.waitFor()).as(said).isZero();
  }

  @Test
  void distributionWithoutAClassListHasNoArchive() {
    assertThat(new CdsArchive(home).find(CLASS_PATH, report::add)).isEmpty();
  }

  @Test
  void attemptThatFailedIsReportedOnceAndNotRepeated() throws Exception {
    Path classes = home.resolve("server.classes");
    Files.writeString(classes, "java/lang/Object id: none\n");
    assertThat(new CdsArchive(home).find(CLASS_PATH, report::add)).isEmpty();
    assertThat(report).hasSize(2);
    assertThat(report.get(1)).contains("container.failure").contains("try again");
    assertThat(home.resolve("container.failure")).content().contains("class list format error");
    assertThat(new CdsArchive(home).find(CLASS_PATH, report::add)).isEmpty();
    assertThat(report).hasSize(2);
    // Another version has other classes.
    Files.setLastModifiedTime(
        classes,
        FileTime.from(
            Files.getLastModifiedTime(home.resolve("container.failure"))
                .toInstant()
                .plusSeconds(1)));
    assertThat(new CdsArchive(home).find(CLASS_PATH, report::add)).isEmpty();
    assertThat(report).hasSize(4);
  }
}
