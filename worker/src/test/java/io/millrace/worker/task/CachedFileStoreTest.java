package io.millrace.worker.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CachedFileStoreTest {
  @TempDir Path directory;

  private CachedFileStore store() {
    return CachedFileStore.inDirectory(directory.resolve("copies"), FileSystems.withoutPlugins());
  }

  private static Path travelled(JobFile file) {
    throw new AssertionError(file + " is read in place");
  }

  private Path zip(String entry) throws IOException {
    Path zip = directory.resolve("archive.zip");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
      out.putNextEntry(new ZipEntry(entry));
      out.write(entry.getBytes(StandardCharsets.UTF_8));
    }
    return zip;
  }

  @Test
  void filesAndDirectoriesOfFileSystemsAreCopied() throws Exception {
    Path tree = Files.createDirectories(directory.resolve("tree/deep"));
    Files.writeString(tree.resolve("leaf"), "a leaf");
    String location = directory.resolve("tree").toUri().toString();
    Map<String, Path> copies =
        store()
            .fetch(
                "job",
                List.of(
                    new JobFile("tree", location, false, false, true),
                    new JobFile("leaf", location + "deep/leaf", false, false, false)),
                CachedFileStoreTest::travelled);

    Path copy = copies.get("tree").resolve("deep/leaf");
    assertThat(copy).hasContent("a leaf").isExecutable();
    assertThat(copies.get("leaf")).hasContent("a leaf").hasFileName("leaf");
    assertThat(Files.isExecutable(copies.get("leaf"))).isFalse();
  }

  @Test
  void archivesAreUnpackedAndDeletedWithTheirOwner() throws Exception {
    Path zip = zip("in/file");
    JobFile file = new JobFile("archive", "archive.zip", true, true, false);
    Path first = store().fetch("first", List.of(file), any -> zip).get("archive");
    Path second = store().fetch("second", List.of(file), any -> zip).get("archive");
    assertThat(first.resolve("in/file")).hasContent("in/file");

    store().delete("first");
    store().delete("first");
    assertThat(first).doesNotExist();
    assertThat(second.resolve("in/file")).exists();
    assertThat(zip).exists();
  }

  @Test
  void copiesOfTwoDeploymentsOfAJobAreApart() throws Exception {
    Path zip = zip("in/file");
    JobFile file = new JobFile("archive", "archive.zip", true, true, false);
    CachedFileStore store = store();
    JobId job = new JobId(new Id128(1, 2));
    String earlier = store.newOwner(job);
    String later = store.newOwner(job);
    Path first = store.fetch(earlier, List.of(file), any -> zip).get("archive");
    Path second = store.fetch(later, List.of(file), any -> zip).get("archive");

    store.delete(earlier);
    assertThat(first).doesNotExist();
    assertThat(second.resolve("in/file")).exists();
  }

  @Test
  void namesOutsideOfTheDirectoryAreRefused() throws Exception {
    Path zip = zip("in/file");

    for (String name : List.of("../../outside", "/tmp/outside", "..", "")) {
      assertThatThrownBy(
              () ->
                  store()
                      .fetch(
                          "job",
                          List.of(new JobFile("secret", name, true, false, false)),
                          any -> zip))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("is not the name of a file");
    }
    assertThat(directory.resolve("copies/outside")).doesNotExist();
  }

  @Test
  void entriesOutsideOfTheArchiveAreRefused() throws Exception {
    Path zip = zip("../../../outside");

    assertThatThrownBy(
            () ->
                store()
                    .fetch(
                        "job",
                        List.of(new JobFile("archive", "archive.zip", true, true, false)),
                        any -> zip))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("'archive'")
        .hasMessageContaining("../../../outside is outside of the archive");
    assertThat(directory.resolve("outside")).doesNotExist();
  }

  @Test
  void aMissingFileIsNamed() {
    JobFile missing =
        new JobFile("rates", directory.resolve("none").toUri().toString(), false, false, false);

    assertThatThrownBy(() -> store().fetch("job", List.of(missing), CachedFileStoreTest::travelled))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("The cached file 'rates' cannot be fetched from")
        .hasMessageContaining("none");
  }

  @Test
  void whatAFetchThatFailsHalfWayLeavesIsDeletedWithItsOwner() throws Exception {
    Path first = zip("in/file");
    byte[] noise = new byte[100_000];
    new Random(1).nextBytes(noise);
    Path cut = directory.resolve("cut.zip");
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(cut))) {
      out.putNextEntry(new ZipEntry("noise"));
      out.write(noise);
    }
    Files.write(cut, Arrays.copyOf(Files.readAllBytes(cut), 50_000));
    CachedFileStore store = store();

    assertThatThrownBy(
            () ->
                store.fetch(
                    "job",
                    List.of(
                        new JobFile("whole", "first.zip", true, true, false),
                        new JobFile("cut", "cut.zip", true, true, false)),
                    file -> file.name().equals("cut") ? cut : first))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("The cached file 'cut' cannot be fetched from cut.zip");
    assertThat(directory.resolve("copies/job")).isNotEmptyDirectory();
    store.delete("job");
    assertThat(directory.resolve("copies")).isEmptyDirectory();

    // The next deployment fetches all of them again.
    assertThat(
            store.fetch(
                "later", List.of(new JobFile("cut", "cut.zip", true, true, false)), any -> first))
        .hasEntrySatisfying("cut", copy -> assertThat(copy.resolve("in/file")).exists());
  }
}
