package io.millrace.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page is current, and each of its sections has tests. */
class BehavioursPageTest {
  @TempDir Path root;

  @Test
  void pageInTheRepositoryIsCurrent() throws IOException {
    assertThat(Path.of("../docs/behaviours.md"))
        .as("Behaviours or names of tests changed; run: %s", BehavioursPage.REFRESH)
        .hasContent(BehavioursPage.render(Path.of("..")));
  }

  @Test
  void groupsTestsByBehaviour() throws IOException {
    writeTestsOfAllSections();
    write(
        "control",
        "SlotTest",
        """
        @Test @Behaviour("D7: spares are kept" + " while a slot is in use") void keeps() {}
        @ParameterizedTest @Behaviour("D7: spares are kept while a slot is in use") void more() {}
        """);

    assertThat(BehavioursPage.render(root))
        .contains(
            "### D7 SlotManager\n",
            "| Spares are kept while a slot is in use."
                + " | `control/SlotTest#keeps`, `control/SlotTest#more` |\n");
  }

  @Test
  void rejectsSectionWithoutATest() throws IOException {
    write("control", "SlotTest", "@Test @Behaviour(\"D7: spares are kept\") void keeps() {}");

    assertThatThrownBy(() -> BehavioursPage.render(root))
        .hasMessageContaining("No test has a behaviour of the sections [A1, A2,")
        .hasMessageNotContaining("D7");
  }

  @Test
  void rejectsUnknownSection() throws IOException {
    writeTestsOfAllSections();
    write("core", "OtherTest", "@Test @Behaviour(\"Z9: a sentence\") void does() {}");

    assertThatThrownBy(() -> BehavioursPage.render(root))
        .hasMessageContaining("core/OtherTest#does names section 'Z9'");
  }

  @Test
  void rejectsTextWithoutSectionAndSentence() throws IOException {
    write("core", "OtherTest", "@Test @Behaviour(\"a sentence\") void does() {}");

    assertThatThrownBy(() -> BehavioursPage.render(root))
        .hasMessageContaining("core/OtherTest#does: a behaviour is 'section: sentence'");
  }

  @Test
  void rejectsMethodThatIsNotATest() throws IOException {
    write("core", "OtherTest", "@Behaviour(\"A1: a sentence\") void does() {}");

    assertThatThrownBy(() -> BehavioursPage.render(root))
        .hasMessageContaining("core/OtherTest#does has a behaviour but is not a test");
  }

  private void writeTestsOfAllSections() throws IOException {
    StringBuilder methods = new StringBuilder();
    for (String section : BehavioursPage.sections()) {
      methods.append(
          "@Test @Behaviour(\"%s: holds\") void test%s() {}\n".formatted(section, section));
    }
    write("it", "AllTest", methods.toString());
  }

  private void write(String module, String name, String methods) throws IOException {
    Path directory = Files.createDirectories(root.resolve(module).resolve("src/test/java"));
    Files.writeString(
        directory.resolve(name + ".java"), "class %s {\n%s}\n".formatted(name, methods));
  }
}
