package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TarWriterTest {
  @TempDir private Path directory;

  @Test
  void tarUnpacksWhatWasWrittenWithItsTimes() throws Exception {
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
  void fileThatGrowsMeanwhileIsNoticed() throws IOException {
    Path growing = file("growing", "a", 0);
    TarWriter.Entry entry = TarWriter.Entry.of("growing", growing);
    Files.writeString(growing, "more");
    assertThatThrownBy(() -> new TarWriter(OutputStream.nullOutputStream()).write(List.of(entry)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("was changed while it was read");
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
