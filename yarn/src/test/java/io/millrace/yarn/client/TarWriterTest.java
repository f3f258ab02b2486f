package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TarWriterTest {
  @TempDir private Path directory;

  @Test
  void filesAreUnpackedWithTheirTimes() throws Exception {
    Path first = file("first", "a".repeat(1000), 1_700_000_000_000L);
    Path second = file("second", "", 1_600_000_000_000L);
    String deep = "d/".repeat(60) + "long name.jar";
    List<TarWriter.Entry> entries =
        List.of(
            TarWriter.Entry.of("lib/first", first),
            TarWriter.Entry.of("lib/server/second", second),
            TarWriter.Entry.of(deep, first));
    Path archive = directory.resolve("archive.tar");
    try (OutputStream out = Files.newOutputStream(archive)) {
      new TarWriter(out).write(entries);
    }
    assertThat(Files.size(archive)).isEqualTo(TarWriter.length(entries));
    Path unpacked = Files.createDirectory(directory.resolve("unpacked"));
    Process tar =
        new ProcessBuilder("tar", "-xf", archive.toString(), "-C", unpacked.toString())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).isZero();
    assertThat(unpacked.resolve("lib/first")).hasContent("a".repeat(1000));
    assertThat(unpacked.resolve("lib/server/second")).isEmptyFile();
    assertThat(unpacked.resolve(deep)).hasContent("a".repeat(1000));
    assertThat(Files.getLastModifiedTime(unpacked.resolve("lib/first")).toMillis())
        .isEqualTo(1_700_000_000_000L);
  }

  @Test
  void fileThatChangesDuringTheCopyIsRejected() throws IOException {
    Path growing = file("growing", "a", 0);
    TarWriter.Entry entry = TarWriter.Entry.of("growing", growing);
    Files.writeString(growing, "more");
    assertThatThrownBy(() -> new TarWriter(OutputStream.nullOutputStream()).write(List.of(entry)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("was changed while it was read");
  }

  @Test
  void emptyArchiveIsTwoEmptyBlocks() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new TarWriter(out).write(List.of());
    assertThat(out.toByteArray()).isEqualTo(new byte[1024]);
    assertThat(TarWriter.length(List.of())).isEqualTo(1024);
  }

  @Test
  void lengthOfEverySizeIsThatOfTheArchive() throws IOException {
    for (int size : new int[] {0, 1, 511, 512, 513, 1024, 5000}) {
      List<TarWriter.Entry> entries =
          List.of(TarWriter.Entry.of("file", file("file-" + size, "x".repeat(size), 0)));
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      new TarWriter(out).write(entries);
      assertThat(out.size()).as("%d bytes", size).isEqualTo((int) TarWriter.length(entries));
      assertThat(out.size() % 512).isZero();
    }
  }

  @Test
  void executableFileStaysExecutable() throws Exception {
    Path script = file("run.sh", "#!/bin/sh\n", 0);
    assertThat(script.toFile().setExecutable(true)).isTrue();
    Path plain = file("plain", "x", 0);
    Path unpacked =
        unpack(
            List.of(TarWriter.Entry.of("bin/run.sh", script), TarWriter.Entry.of("plain", plain)));
    assertThat(unpacked.resolve("bin/run.sh")).isExecutable();
    assertThat(Files.isExecutable(unpacked.resolve("plain"))).isFalse();
  }

  /** The format has 100 bytes for a name and 155 for the directories before it. */
  @Test
  void longestNamesAreUnpacked() throws Exception {
    Path some = file("some", "content", 0);
    List<String> names =
        List.of(
            "n".repeat(100),
            "d".repeat(155) + "/" + "n".repeat(100),
            "ü".repeat(50),
            "ä".repeat(60) + "/" + "ö".repeat(40));
    List<TarWriter.Entry> entries = new ArrayList<>();
    for (String name : names) {
      entries.add(TarWriter.Entry.of(name, some));
    }
    Path unpacked = unpack(entries);
    for (String name : names) {
      assertThat(unpacked.resolve(name)).as(name).hasContent("content");
    }
  }

  @Test
  void nameWithoutASlashInTheRightPlaceIsRefused() throws IOException {
    Path some = file("some", "a", 0);
    for (String name : List.of("d".repeat(156) + "/" + "n".repeat(100), "d/" + "n".repeat(101))) {
      assertThatThrownBy(
              () ->
                  new TarWriter(OutputStream.nullOutputStream())
                      .write(List.of(TarWriter.Entry.of(name, some))))
          .hasMessageContaining("too long");
    }
  }

  @Test
  void fileThatIsTooLargeForTheFormatIsRefused() throws IOException {
    Path some = file("some", "a", 0);
    TarWriter.Entry huge = new TarWriter.Entry("huge", some, 1L << 33, 0);
    assertThatThrownBy(() -> new TarWriter(OutputStream.nullOutputStream()).write(List.of(huge)))
        .hasMessageContaining("8 GiB");
  }

  private Path unpack(List<TarWriter.Entry> entries) throws Exception {
    Path archive = directory.resolve("test.tar");
    try (OutputStream out = Files.newOutputStream(archive)) {
      new TarWriter(out).write(entries);
    }
    Path unpacked = Files.createDirectory(directory.resolve("test-unpacked"));
    Process tar =
        new ProcessBuilder("tar", "-xf", archive.toString(), "-C", unpacked.toString())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).isZero();
    return unpacked;
  }

  @Test
  void nameThatDoesNotFitIsRefused() throws IOException {
    Path some = file("some", "a", 0);
    assertThatThrownBy(
            () ->
                new TarWriter(OutputStream.nullOutputStream())
                    .write(List.of(TarWriter.Entry.of("x".repeat(101), some))))
        .hasMessageContaining("too long");
  }

  private Path file(String name, String content, long modified) throws IOException {
    Path file = directory.resolve(name);
    Files.writeString(file, content);
    Files.setLastModifiedTime(file, FileTime.fromMillis(modified));
    return file;
  }
}
