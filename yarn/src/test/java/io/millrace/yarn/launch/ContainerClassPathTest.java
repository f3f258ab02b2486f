package io.millrace.yarn.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.yarn.YarnOptions.UserJars;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ContainerClassPathTest {
  private static final List<String> ENGINE = List.of("millrace/lib/z.jar", "millrace/lib/a.jar");

  @Test
  void programComesFirst() {
    assertThat(path(UserJars.FIRST, "usrlib/job.jar", "extra.jar"))
        .containsExactly("usrlib/job.jar", "millrace/lib/z.jar", "millrace/lib/a.jar", "extra.jar");
  }

  @Test
  void programComesLast() {
    assertThat(path(UserJars.LAST, "usrlib/job.jar", "extra.jar"))
        .containsExactly("millrace/lib/z.jar", "millrace/lib/a.jar", "extra.jar", "usrlib/job.jar");
  }

  @Test
  void programIsNotOnTheClassPathByDefault() {
    assertThat(path(UserJars.DISABLED, "usrlib/job.jar", "extra.jar"))
        .containsExactly("millrace/lib/z.jar", "millrace/lib/a.jar", "extra.jar");
  }

  @Test
  void jarsAreSortedByNameWithoutTheirDirectories() {
    assertThat(path(UserJars.ORDER, "usrlib/m.jar", "provided/z.jar", "b.jar", "usrlib/a.jar"))
        .containsExactly(
            "millrace/lib/z.jar",
            "millrace/lib/a.jar",
            "usrlib/a.jar",
            "b.jar",
            "usrlib/m.jar",
            "provided/z.jar");
  }

  @Test
  void jarsWithTheSameNameAllStay() {
    assertThat(path(UserJars.ORDER, "usrlib/a.jar", "provided/a.jar", "a.jar"))
        .endsWith("a.jar", "provided/a.jar", "usrlib/a.jar");
  }

  /** A JVM uses its CDS archive only if the engine's jars are in the order of the archive. */
  @ParameterizedTest
  @EnumSource(UserJars.class)
  void jarsOfTheEngineKeepTheirOrder(UserJars order) {
    List<String> path = path(order, "usrlib/job.jar", "a.jar");
    assertThat(path).containsSubsequence(ENGINE);
    assertThat(path).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @EnumSource(UserJars.class)
  void onlyJarsAreOnTheClassPath(UserJars order) {
    assertThat(path(order, "application", "usrlib/notes.txt", "krb5.conf", "jar"))
        .isEqualTo(ENGINE);
  }

  @Test
  void directoryWhoseNameBeginsLikeThatOfTheProgramIsAnother() {
    assertThat(path(UserJars.DISABLED, "usrlib2/x.jar")).endsWith("usrlib2/x.jar");
  }

  private static List<String> path(UserJars order, String... links) {
    return ContainerClassPath.of(
        order, ENGINE, Arrays.stream(links).map(ContainerClassPathTest::file).toList());
  }

  private static StagedFile file(String link) {
    return new StagedFile(
        link,
        URI.create("hdfs:///" + link),
        1,
        1,
        LocalResourceType.FILE,
        LocalResourceVisibility.APPLICATION,
        true);
  }
}
