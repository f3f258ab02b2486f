package io.millrace.cluster.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.Bytes;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.ProcessGateway.LogContent;
import io.millrace.protocol.ProcessGateway.LogFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogDirectoryTest {
  @TempDir private Path root;
  private Path directory;
  private LogDirectory logs;

  @BeforeEach
  void create() throws IOException {
    directory = Files.createDirectory(root.resolve("log"));
    write("server.log", "0123456789", 3000);
    logs = new LogDirectory(directory.resolve("server.log"), directory.resolve("server.out"));
  }

  private Path write(String name, String content, long changedAt) throws IOException {
    Path file = Files.writeString(directory.resolve(name), content);
    Files.setLastModifiedTime(file, FileTime.fromMillis(changedAt));
    return file;
  }

  private String read(String name, long offset, int length) throws IOException {
    return new String(
        logs.read(name, offset, length).orElseThrow().content().toArray(),
        java.nio.charset.StandardCharsets.UTF_8);
  }

  @Test
  void listsLogFilesNewestFirst() throws IOException {
    write("server.log.1", "old", 1000);
    write("server.out", "printed", 2000);
    write("hs_err_pid17.log", "crash", 4000);
    assertThat(logs.list().files())
        .containsExactly(
            new LogFile("hs_err_pid17.log", 5, 4000),
            new LogFile("server.log", 10, 3000),
            new LogFile("server.out", 7, 2000),
            new LogFile("server.log.1", 3, 1000));
    assertThat(logs.list().log()).contains("server.log");
    assertThat(logs.list().output()).contains("server.out");
  }

  @Test
  void outputThatIsNoLogFileIsNotNamed() throws IOException {
    assertThat(logs.list().output()).isEmpty();
    Path elsewhere = Files.writeString(root.resolve("server.out"), "printed");
    assertThat(new LogDirectory(directory.resolve("server.log"), elsewhere).list().output())
        .isEmpty();
    assertThat(
            new LogDirectory(directory.resolve("server.log"), Path.of("/dev/null")).list().output())
        .isEmpty();
  }

  @Test
  void readsNoMoreThanWasAskedFor() throws IOException {
    assertThat(read("server.log", 2, 3)).isEqualTo("234");
    assertThat(read("server.log", 8, 100)).isEqualTo("89");
    assertThat(read("server.log", 10, 5)).isEmpty();
    assertThat(read("server.log", Long.MAX_VALUE, 5)).isEmpty();
    assertThat(logs.read("server.log", 0, 0).orElseThrow().size()).isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../secret.log",
        "..",
        ".",
        "",
        "/etc/passwd",
        "sub/inner.log",
        "link.log",
        "sub.log",
        "notes.txt",
        ".hidden.log",
        "server.log\u0000",
        "a\u0000.log",
        "missing.log"
      })
  @Behaviour("I4: only log files of the log directory can be read")
  void readsNothingButLogFilesOfItsDirectory(String name) throws IOException {
    Files.writeString(root.resolve("secret.log"), "secret");
    Files.createSymbolicLink(directory.resolve("link.log"), root.resolve("secret.log"));
    Files.createDirectory(directory.resolve("sub.log"));
    Files.createDirectory(directory.resolve("sub"));
    Files.writeString(directory.resolve("sub/inner.log"), "inner");
    Files.writeString(directory.resolve("notes.txt"), "notes");
    Files.writeString(directory.resolve(".hidden.log"), "hidden");
    assertThat(logs.read(name, 0, 100)).isEmpty();
    assertThat(logs.list().files()).extracting(LogFile::name).containsExactly("server.log");
  }

  @Test
  void renamedFileKeepsItsIdentityAndTheNewOneHasAnother() throws IOException {
    LogContent before = logs.read("server.log", 0, 10).orElseThrow();
    Files.move(directory.resolve("server.log"), directory.resolve("server.log.1"));
    write("server.log", "next", 5000);
    assertThat(logs.read("server.log.1", 0, 10).orElseThrow()).isEqualTo(before);
    LogContent after = logs.read("server.log", 0, 10).orElseThrow();
    assertThat(after.content()).isEqualTo(Bytes.utf8("next"));
    assertThat(after.identity()).isNotEqualTo(before.identity());
  }

  @Test
  void directoryWithoutFilesHasNoLogs() throws IOException {
    LogDirectory none = new LogDirectory(root.resolve("none/server.log"), Path.of("none"));
    assertThat(none.list().files()).isEmpty();
    assertThat(none.read("server.log", 0, 10)).isEmpty();
  }
}
