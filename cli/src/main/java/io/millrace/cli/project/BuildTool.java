package io.millrace.cli.project;

import io.millrace.cli.common.UsageException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The build tool of a project. */
enum BuildTool {
  MAVEN(
      List.of("pom.xml"),
      "target/",
      "mvn package",
      Map.of(
          "@tool@", "Maven 3.8",
          "@buildFile@", "pom.xml",
          "@libraryScope@", "with the scope `compile`",
          "@repositoryProperty@", "millrace.repository",
          "@buildElsewhere@", "mvn -Dmillrace.repository=file:///opt/millrace/repository package")),
  GRADLE(
      List.of("settings.gradle", "build.gradle"),
      "build/libs/",
      "gradle build",
      Map.of(
          "@tool@", "Gradle 8",
          "@buildFile@", "build.gradle",
          "@libraryScope@", "as `implementation`",
          "@repositoryProperty@", "millraceRepository",
          "@buildElsewhere@", "gradle -PmillraceRepository=file:///opt/millrace/repository build"));

  private final List<String> files;
  private final String jarDirectory;
  private final String command;
  private final Map<String, String> values;

  BuildTool(List<String> files, String jarDirectory, String command, Map<String, String> values) {
    this.files = files;
    this.jarDirectory = jarDirectory;
    this.command = command;
    this.values = values;
  }

  /** The tool with a name of the command line. */
  static BuildTool parse(String name) {
    for (BuildTool tool : values()) {
      if (tool.name().equals(name.toUpperCase(Locale.ROOT))) {
        return tool;
      }
    }
    throw new UsageException("--build cannot be '" + name + "'. It is 'maven' or 'gradle'.");
  }

  /** The files that tell the tool how to build the project. */
  List<String> files() {
    return files;
  }

  /** The command that builds and tests the project. */
  String command() {
    return command;
  }

  /** The jar of the program in the directory of the project. */
  String jar(ProjectNames names) {
    return jarDirectory + names.artifactId() + ".jar";
  }

  /** What version control ignores. */
  String ignored() {
    return this == MAVEN ? "target/\n" : "build/\n.gradle/\n";
  }

  /** The texts of templates that depend on the tool. */
  Map<String, String> values(ProjectNames names) {
    Map<String, String> all = new LinkedHashMap<>(values);
    all.put("@build@", command);
    all.put("@jar@", jar(names));
    return all;
  }
}
