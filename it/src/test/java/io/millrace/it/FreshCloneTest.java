package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the launcher's build of a fresh clone relies on. */
class FreshCloneTest {
  /**
   * The launcher builds with {@code -Dmaven.test.skip}, and Maven resolves test jars of other
   * modules all the same. So each module that makes a test jar must make it then, too.
   */
  @Test
  @Behaviour("A1: the launcher builds what is missing on a fresh clone")
  void testJarsAreMadeByBuildsWithoutTests() throws Exception {
    List<Path> poms;
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      poms = modules.map(module -> module.resolve("pom.xml")).filter(Files::exists).toList();
    }
    assertThat(poms).hasSizeGreaterThan(30);
    for (Path pom : poms) {
      String text = Files.readString(pom);
      int goal = text.indexOf("<goal>test-jar</goal>");
      if (goal >= 0) {
        assertThat(text.substring(goal, text.indexOf("</execution>", goal)))
            .as(pom.toString())
            .contains("<skip>false</skip>");
      }
    }
  }
}
