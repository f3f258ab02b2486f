package io.millrace.cli.project;

import io.millrace.cli.common.UsageException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The build tool of a project. */
enum BuildTool {
  MAVEN("target/", "mvn package"),
  GRADLE("build/libs/", "gradle build");

  private final String jarDirectory;
  private final String command;

  BuildTool(String jarDirectory, String command) {
    this.jarDirectory = jarDirectory;
    this.command = command;
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
    return this == MAVEN ? List.of("pom.xml") : List.of("settings.gradle", "build.gradle");
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
    boolean maven = this == MAVEN;
    Map<String, String> all = new LinkedHashMap<>();
    all.put("@tool@", maven ? "Maven 3.8" : "Gradle 8");
    all.put("@buildFile@", maven ? "pom.xml" : "build.gradle");
    all.put("@libraryScope@", maven ? "with the scope `compile`" : "as `implementation`");
    all.put("@repositoryProperty@", maven ? "millrace.repository" : "millraceRepository");
    all.put(
        "@buildElsewhere@",
        maven
            ? "mvn -Dmillrace.repository=file:///opt/millrace/repository package"
            : "gradle -PmillraceRepository=file:///opt/millrace/repository build");
    all.put("@build@", command);
    all.put("@jar@", jar(names));
    return all;
  }
}
