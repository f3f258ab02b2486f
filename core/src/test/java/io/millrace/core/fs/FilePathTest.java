package io.millrace.core.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilePathTest {
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "hdfs://host:8020/a/b, hdfs, host:8020, /a/b",
        "hdfs:/a/b, hdfs, '', /a/b",
        "hdfs:///a/b/, hdfs, '', /a/b",
        "s3a://bucket, s3a, bucket, /",
        "DEMO://b/x y%20z, demo, b, /x y%20z",
        "file:///a/b, file, '', /a/b",
        "file:/a/b, file, '', /a/b"
      })
  void parsesSchemeAuthorityAndPath(String text, String scheme, String authority, String path) {
    assertThat(FilePath.parse(text)).isEqualTo(new FilePath(scheme, authority, path));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a/b", "12:30", "notes:draft", "1a:/b", "odd name:/x", "/abs/a:/b", ":/x", "%41"})
  void pathsWithoutASchemeAreLocal(String text) {
    assertThat(FilePath.parse(text))
        .isEqualTo(new FilePath("file", "", Path.of(text).toAbsolutePath().toString()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a:/b c", "hdfs://host/a/b", "s3a://bucket", "demo:/x/y"})
  void textRoundTrips(String text) {
    FilePath path = FilePath.parse(text);
    assertThat(FilePath.parse(path.toString())).isEqualTo(path);
  }

  @Test
  void childHasTheGivenName() {
    FilePath root = FilePath.parse("s3a://bucket");
    assertThat(root.child("a").child("b c")).hasToString("s3a://bucket/a/b c");
    assertThat(root.child("a").name()).isEqualTo("a");
  }

  @Test
  void rejectsLocalPathWithAHost() {
    assertThatThrownBy(() -> FilePath.parse("file://tmp/x"))
        .hasMessageContainingAll("file://tmp/x", "file:///");
  }
}
