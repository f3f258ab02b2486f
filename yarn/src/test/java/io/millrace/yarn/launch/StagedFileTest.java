package io.millrace.yarn.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.apache.hadoop.yarn.api.records.LocalResource;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StagedFileTest {
  private static final StagedFile ARCHIVE =
      new StagedFile(
          "millrace",
          URI.create("hdfs://namenode:8020/user/miller/.millrace/engine%20archive.tar"),
          123_456_789_012L,
          1_700_000_000_123L,
          LocalResourceType.ARCHIVE,
          LocalResourceVisibility.PUBLIC,
          true);
  private static final StagedFile SECRET =
      new StagedFile(
          "dir/Grüße $1.txt",
          URI.create("file:/tmp/x"),
          0,
          0,
          LocalResourceType.FILE,
          LocalResourceVisibility.APPLICATION,
          false);

  @Test
  void decodedFilesAreTheEncodedOnes() {
    List<StagedFile> files = List.of(ARCHIVE, SECRET, ARCHIVE);
    assertThat(StagedFile.decode(StagedFile.encode(files))).isEqualTo(files);
    assertThat(StagedFile.decode(StagedFile.encode(List.of()))).isEmpty();
  }

  @Test
  void encodedTextHasNoCharacterThatAShellInterprets() {
    assertThat(StagedFile.encode(List.of(ARCHIVE, SECRET))).matches("[A-Za-z0-9_-]+");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "no base64!",
        "one field",
        "millrace\thdfs:///x\t1\t2\tARCHIVE\tPUBLIC",
        "millrace\thdfs:///x\tmany\t2\tARCHIVE\tPUBLIC\ttrue",
        "millrace\thdfs:///x\t1\t2\tTREE\tPUBLIC\ttrue",
        "../millrace\thdfs:///x\t1\t2\tFILE\tPUBLIC\ttrue"
      })
  void textOfAnotherVersionIsRejected(String text) {
    String encoded =
        text.contains("!")
            ? text
            : Base64.getUrlEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> StagedFile.decode(encoded))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining(ContainerLayout.FILES_VARIABLE)
        .matches(e -> ((MillraceException) e).kind() == ErrorKind.BUG);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/etc/passwd", "../x", "a/../../x", ".."})
  void linkMustStayInTheWorkingDirectory(String link) {
    assertThatThrownBy(
            () ->
                new StagedFile(
                    link,
                    URI.create("hdfs:///x"),
                    1,
                    1,
                    LocalResourceType.FILE,
                    LocalResourceVisibility.PRIVATE,
                    true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must stay in the working directory: " + link);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "a/b", "a..b", "..a", "a/..b"})
  void linkMayHaveDots(String link) {
    assertThat(
            new StagedFile(
                    link,
                    URI.create("hdfs:///x"),
                    1,
                    1,
                    LocalResourceType.FILE,
                    LocalResourceVisibility.PRIVATE,
                    true)
                .link())
        .isEqualTo(link);
  }

  @Test
  void resourceHasWhatYarnChecks() {
    LocalResource resource = ARCHIVE.resource();
    assertThat(resource.getSize()).isEqualTo(ARCHIVE.size());
    assertThat(resource.getTimestamp()).isEqualTo(ARCHIVE.modified());
    assertThat(resource.getType()).isEqualTo(LocalResourceType.ARCHIVE);
    assertThat(resource.getVisibility()).isEqualTo(LocalResourceVisibility.PUBLIC);
    assertThat(resource.getResource().getScheme()).isEqualTo("hdfs");
    assertThat(resource.getResource().getHost()).isEqualTo("namenode");
    assertThat(resource.getResource().getPort()).isEqualTo(8020);
    assertThat(resource.getResource().getFile())
        .isEqualTo("/user/miller/.millrace/engine archive.tar");
  }
}
