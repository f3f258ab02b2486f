package io.millrace.cli.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cli.CommandLineHarness;
import io.millrace.cli.common.ExitCodes;
import io.millrace.cli.common.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NewCommandTest {
  @TempDir private Path directory;

  @Test
  void filesHaveTheNamesOfTheProject() throws IOException {
    Path place = directory.resolve("My-Words");
    ProjectNames names =
        ProjectNames.of(place, "org.acme-labs", Optional.empty(), Optional.empty());
    assertThat(names).isEqualTo(new ProjectNames("org.acme-labs", "my-words", "org.acme_labs"));
    List<Path> files =
        new ProjectFiles(names, BuildTool.MAVEN, "9.8.7", directory.resolve("with & blank"))
            .write(place);
    assertThat(files.stream().map(file -> place.relativize(file).toString()))
        .containsExactly(
            "pom.xml",
            "src/main/java/org/acme_labs/WordCount.java",
            "src/test/java/org/acme_labs/WordCountTest.java",
            "README.md",
            ".gitignore");
    assertThat(place.resolve("pom.xml"))
        .content()
        .contains("<groupId>org.acme-labs</groupId>")
        .contains("<artifactId>my-words</artifactId>")
        .contains("<millrace.version>9.8.7</millrace.version>")
        .contains("<mainClass>org.acme_labs.WordCount</mainClass>")
        .containsPattern(
            "<millrace.repository>file:///.*/with%20&amp;%20blank/repository/?</millrace.repository>");
    for (Path file : files) {
      assertThat(file).content().doesNotContainPattern("@[a-z][A-Za-z.]*@");
    }
  }

  @Test
  void gradleProjectHasTheSameProgramAndDependencies() throws IOException {
    Path place = directory.resolve("words");
    ProjectNames names = ProjectNames.of(place, "org.acme", Optional.empty(), Optional.empty());
    List<Path> files =
        new ProjectFiles(names, BuildTool.GRADLE, "9.8.7", directory.resolve("it's")).write(place);
    assertThat(files.stream().map(file -> place.relativize(file).toString()))
        .containsExactly(
            "settings.gradle",
            "build.gradle",
            "src/main/java/org/acme/WordCount.java",
            "src/test/java/org/acme/WordCountTest.java",
            "README.md",
            ".gitignore");
    assertThat(place.resolve("settings.gradle")).hasContent("rootProject.name = 'words'");
    assertThat(place.resolve("build.gradle"))
        .content()
        .contains("def millraceVersion = '9.8.7'")
        .containsPattern(
            "findProperty\\('millraceRepository'\\) \\?: 'file:///.*/it%27s/repository/?'")
        .contains("archiveFileName = 'words.jar'")
        // Versions of all artifacts of Millrace, also of those that a user adds for run time.
        .contains("implementation platform(\"io.millrace:millrace-bom:$millraceVersion\")")
        .contains("'Main-Class': 'org.acme.WordCount'")
        .contains("platform('org.junit:junit-bom:" + ProjectFiles.JUNIT_VERSION + "')");
    // Both builds name the same artifacts of Millrace.
    String pom =
        Files.readString(Path.of("src/main/resources/io/millrace/cli/project/pom.xml.template"));
    Matcher artifact = Pattern.compile("<artifactId>(millrace-[a-z-]+)</artifactId>").matcher(pom);
    while (artifact.find()) {
      assertThat(place.resolve("build.gradle"))
          .content()
          .contains("io.millrace:" + artifact.group(1));
    }
    assertThat(place.resolve("README.md"))
        .content()
        .contains("gradle build", "run build/libs/words.jar", "-PmillraceRepository=");
    for (Path file : files) {
      assertThat(file).content().doesNotContainPattern("@[a-z][A-Za-z.]*@");
    }
  }

  @Test
  void unknownBuildToolIsRefused() {
    CommandLineHarness cli = new CommandLineHarness(directory);
    assertThat(cli.call("new", directory.resolve("words").toString(), "--build", "make"))
        .isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("--build cannot be 'make'. It is 'maven' or 'gradle'.");
  }

  @Test
  void directoryThatIsNotEmptyIsRefusedAndKept() throws IOException {
    Path place = Files.createDirectory(directory.resolve("words"));
    ProjectFiles files =
        new ProjectFiles(
            ProjectNames.of(place, "com.example", Optional.empty(), Optional.empty()),
            BuildTool.MAVEN,
            "1",
            directory);
    Path mine = Files.writeString(place.resolve("pom.xml"), "mine");
    assertThatThrownBy(() -> files.write(place))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("is not empty");
    assertThat(place).isDirectoryContaining(file -> file.equals(mine));
    assertThat(mine).content().isEqualTo("mine");
    assertThatThrownBy(() -> files.write(mine)).hasMessageContaining("is a file");
    Files.delete(mine);
    assertThat(files.write(place)).hasSize(5);
  }

  @Test
  void illegalNamesAreRefused() {
    CommandLineHarness cli = new CommandLineHarness(directory);
    for (List<String> wrong :
        List.of(
            List.of("--group-id", "a b"),
            List.of("--group-id", "../x"),
            List.of("--artifact-id", "a/b"),
            List.of("--artifact-id", "<x>"),
            List.of("--package", "com.class.x"),
            List.of("--package", "com..x"),
            List.of("--package", "1a"))) {
      assertThat(cli.call("new", directory.resolve("words").toString(), wrong.get(0), wrong.get(1)))
          .as("%s", wrong)
          .isEqualTo(ExitCodes.USAGE);
      assertThat(cli.err()).contains(wrong.get(0) + " cannot be '" + wrong.get(1) + "'");
    }
    assertThat(cli.call("new", directory.resolve("w").toString(), "--package", "io.millrace.x"))
        .isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("classes below io.millrace are those of the engine");
    assertThat(cli.call("new", directory.resolve("1 2").toString())).isEqualTo(ExitCodes.USAGE);
    assertThat(cli.err()).contains("Name one with --artifact-id");
    assertThat(directory.resolve("words")).doesNotExist();
  }

  /** The project is built with the versions that this build uses, and a BOM of this version. */
  @Test
  void versionsAreThoseOfThisBuild() throws IOException {
    String root = Files.readString(Path.of("../pom.xml"));
    String template =
        Files.readString(Path.of("src/main/resources/io/millrace/cli/project/pom.xml.template"));
    assertThat(find(root, "<junit.version>(.*)</")).isEqualTo(ProjectFiles.JUNIT_VERSION);
    Matcher plugin =
        Pattern.compile("<artifactId>(maven-.*-plugin)</artifactId>\\s*<version>(.*)</version>")
            .matcher(template);
    int plugins = 0;
    while (plugin.find()) {
      assertThat(root)
          .containsPattern(
              "<artifactId>"
                  + plugin.group(1)
                  + "</artifactId>\\s*<version>"
                  + Pattern.quote(plugin.group(2))
                  + "</version>");
      plugins++;
    }
    assertThat(plugins).isEqualTo(5);
    String bom = Files.readString(Path.of("../bom/pom.xml"));
    assertThat(find(bom, "<artifactId>millrace-bom</artifactId>\\s*<version>(.*)</version>"))
        .isEqualTo(find(root, "<artifactId>millrace</artifactId>\\s*<version>(.*)</version>"));
    // Connectors are there for programs.
    Matcher connector = Pattern.compile("<module>(connector-.*)</module>").matcher(root);
    while (connector.find()) {
      assertThat(bom).contains("<artifactId>millrace-" + connector.group(1) + "</artifactId>");
    }
  }

  private static String find(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(pattern).isTrue();
    return matcher.group(1);
  }
}
