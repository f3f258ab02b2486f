package io.millrace.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Uploaded files of any name and content. */
class JarStoreTest {
  @TempDir private Path parent;
  private Path directory;
  private JarStore store;

  @BeforeEach
  void open() throws IOException {
    directory = Files.createDirectory(parent.resolve("jars"));
    store = new JarStore(directory, new Random(1));
  }

  private Path received(byte[] content) throws IOException {
    return Files.write(store.newUploadFile(), content);
  }

  private Path zip(String manifest) throws IOException {
    Path file = store.newUploadFile();
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
      zip.putNextEntry(new ZipEntry("META-INF/MANIFEST.MF"));
      zip.write(manifest.getBytes(StandardCharsets.UTF_8));
      zip.closeEntry();
    }
    return file;
  }

  private static final String MANIFEST = "Manifest-Version: 1.0\r\nMain-Class: a.B\r\n\r\n";

  @ParameterizedTest
  @CsvSource({
    "count.jar, count.jar",
    "../../etc/passwd.jar, passwd.jar",
    "C:\\temp\\count.jar, count.jar",
    "'a b/c d.jar', c_d.jar",
    "größe.jar, gr__e.jar",
    "'x;rm -rf.JAR', x_rm_-rf.JAR",
    ".jar, .jar"
  })
  void nameOfTheClientIsMadeSafe(String name, String safe) throws IOException {
    Path stored = store.accept(zip(MANIFEST), name);
    assertThat(stored.getParent()).isEqualTo(directory);
    List<JarStore.StoredJar> jars = store.list();
    assertThat(jars).hasSize(1);
    assertThat(jars.get(0).name()).isEqualTo(safe);
    assertThat(jars.get(0).mainClass()).contains("a.B");
    assertThat(store.find(jars.get(0).id())).isEqualTo(stored);
  }

  @Test
  void longNameKeepsItsEnd() throws IOException {
    store.accept(zip(MANIFEST), "x".repeat(10_000) + "-1.0.jar");
    assertThat(store.list().get(0).name()).hasSize(120).endsWith("x-1.0.jar");
  }

  @Test
  void fileThatIsNoJarIsDeleted() throws IOException {
    for (byte[] content :
        List.of(
            new byte[0],
            new byte[] {'P', 'K'},
            new byte[] {'P', 'K', 3, 4},
            "PK\3\4 and then something else".getBytes(StandardCharsets.UTF_8),
            "#!/bin/sh".getBytes(StandardCharsets.UTF_8))) {
      Path file = received(content);
      assertThatThrownBy(() -> store.accept(file, "a.jar"))
          .isInstanceOf(RestError.class)
          .hasMessageContaining("its content is not a zip archive");
      assertThat(file).doesNotExist();
    }
    Path text = zip(MANIFEST);
    assertThatThrownBy(() -> store.accept(text, "a.txt"))
        .hasMessageContaining("its name does not end with .jar");
    assertThat(text).doesNotExist();
    assertThat(store.list()).isEmpty();
  }

  @Test
  void truncatedJarIsRefused() throws IOException {
    byte[] whole = Files.readAllBytes(zip(MANIFEST));
    for (int length = 4; length < whole.length; length += 7) {
      Path file = received(java.util.Arrays.copyOf(whole, length));
      assertThatThrownBy(() -> store.accept(file, "a.jar")).isInstanceOf(RestError.class);
    }
  }

  @Test
  void jarWithoutAManifestHasNoMainClass() throws IOException {
    Path file = store.newUploadFile();
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
      zip.putNextEntry(new ZipEntry("a/B.class"));
      zip.closeEntry();
    }
    store.accept(file, "a.jar");
    assertThat(store.list().get(0).mainClass()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "no colon", "Main-Class: a.B", "Manifest-Version: 1.0\r\nMain-Class\r\n\r\n"})
  void unreadableManifestHasNoMainClass(String manifest) throws IOException {
    store.accept(zip(manifest), "a.jar");
    Optional<String> found = store.list().get(0).mainClass();
    assertThat(found.isEmpty() || found.get().equals("a.B")).isTrue();
  }

  /** A manifest that is small in the archive and large in memory. */
  @Test
  void largeManifestIsNotRead() throws IOException {
    Path file = store.newUploadFile();
    try (OutputStream out = Files.newOutputStream(file);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      zip.putNextEntry(new ZipEntry("META-INF/MANIFEST.MF"));
      zip.write(MANIFEST.getBytes(StandardCharsets.UTF_8));
      byte[] zeros = new byte[1 << 20];
      for (int i = 0; i < 64; i++) {
        zip.write(zeros);
      }
      zip.closeEntry();
    }
    store.accept(file, "bomb.jar");
    assertThat(store.list()).hasSize(1);
    assertThat(store.list().get(0).mainClass()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "..",
        "../secret",
        "incoming-00000000000000010000000000000002",
        "01234567-89ab-cdef-0123-456789abcdef_../x.jar",
        "01234567-89ab-cdef-0123-456789abcdef_",
        "01234567-89ab-cdef-0123-456789abcdef_a b.jar",
        "01234567-89AB-cdef-0123-456789abcdef_a.jar",
        "01234567-89ab-cdef-0123-456789abcdef_a.jar\n",
        "01234567-89ab-cdef-0123-456789abcdef_a.jar"
      })
  void idThatIsNotStoredIsUnknown(String id) throws IOException {
    Files.writeString(parent.resolve("secret"), "x");
    for (org.assertj.core.api.ThrowableAssert.ThrowingCallable use :
        List.<org.assertj.core.api.ThrowableAssert.ThrowingCallable>of(
            () -> store.find(id), () -> store.delete(id))) {
      assertThatThrownBy(use)
          .isInstanceOfSatisfying(RestError.class, e -> assertThat(e.status()).isEqualTo(404))
          .hasMessageContaining("GET /jars");
    }
    assertThat(parent.resolve("secret")).exists();
  }

  @Test
  void newestJarIsListedFirstAndForeignFilesAreNot() throws IOException {
    Path old = store.accept(zip(MANIFEST), "old.jar");
    Path young = store.accept(zip(MANIFEST), "young.jar");
    Files.setLastModifiedTime(old, FileTime.fromMillis(1_000));
    Files.setLastModifiedTime(young, FileTime.fromMillis(2_000));
    Files.writeString(directory.resolve("notes.jar"), "x");
    received(new byte[10]);
    Files.createDirectory(directory.resolve("01234567-89ab-cdef-0123-456789abcdef_dir.jar"));
    assertThat(store.list().stream().map(JarStore.StoredJar::name).toList())
        .containsSubsequence("young.jar", "old.jar")
        .doesNotContain("notes.jar");
    store.delete(young.getFileName().toString());
    assertThat(young).doesNotExist();
    assertThatThrownBy(() -> store.delete(young.getFileName().toString()))
        .isInstanceOf(RestError.class);
  }

  @Test
  void missingDirectoryHasNoJars() throws IOException {
    assertThat(new JarStore(parent.resolve("absent"), new Random(1)).list()).isEmpty();
    Path file = Files.writeString(parent.resolve("file"), "");
    assertThat(new JarStore(file, new Random(1)).list()).isEmpty();
  }

  @Test
  void discardedUploadIsDeleted() throws IOException {
    Path file = received(new byte[3]);
    assertThat(store.discard(file)).isTrue();
    assertThat(store.discard(file)).isFalse();
    assertThat(store.newUploadFile()).isNotEqualTo(store.newUploadFile());
  }
}
