package io.millrace.cli.project;

import io.millrace.cli.common.CommandVersion;
import io.millrace.cli.common.Console;
import io.millrace.cli.common.ExitCodes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a Maven or Gradle project with a program and its test. */
@Command(
    name = "new",
    description = {
      "Writes a Maven or Gradle project with a program and tests that pass.",
      "Its artifacts of Millrace come from the repository of this distribution."
    },
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  millrace new word-count",
      "  millrace new word-count --group-id org.acme --package org.acme.words",
      "  millrace new word-count --build gradle",
      "  (cd word-count && mvn package) && millrace run word-count/target/word-count.jar"
    })
public final class NewCommand implements Callable<Integer> {
  private final Console console;

  @Parameters(
      index = "0",
      paramLabel = "DIRECTORY",
      description = "Where the project is written. It is empty or not there.")
  private Path directory;

  @Option(
      names = "--group-id",
      paramLabel = "ID",
      defaultValue = "com.example",
      description = "groupId of the project. Default: ${DEFAULT-VALUE}.")
  private String groupId;

  @Option(
      names = "--artifact-id",
      paramLabel = "ID",
      description = "artifactId of the project and name of its jar. Default: the directory's name.")
  private Optional<String> artifactId = Optional.empty();

  @Option(
      names = "--package",
      paramLabel = "PACKAGE",
      description = "Package of the classes. Default: the groupId.")
  private Optional<String> packageName = Optional.empty();

  @Option(
      names = "--build",
      paramLabel = "TOOL",
      defaultValue = "maven",
      description = "Build tool: maven or gradle. Default: ${DEFAULT-VALUE}.")
  private String build;

  public NewCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    Path place = directory.toAbsolutePath().normalize();
    BuildTool tool = BuildTool.parse(build);
    ProjectNames names = ProjectNames.of(place, groupId, artifactId, packageName);
    Path home = console.home().map(Path::toAbsolutePath).orElseThrow(NewCommand::noDistribution);
    String version = CommandVersion.number().orElseThrow(NewCommand::noDistribution);
    if (!Files.isDirectory(home.resolve("repository/io/millrace/millrace-api/" + version))) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The distribution in '"
              + home
              + "' has no Maven repository with Millrace "
              + version
              + ". Unpack the distribution again.");
    }
    new ProjectFiles(names, tool, version, home)
        .write(place)
        .forEach(file -> console.err().println("Wrote " + file));
    console.out().println("cd " + directory);
    console.out().println(tool.command());
    console.out().println("millrace run " + tool.jar(names));
    return ExitCodes.OK;
  }

  private static MillraceException noDistribution() {
    return new MillraceException(
        ErrorKind.USER,
        "A project can be written only by a distribution, whose artifacts it uses. Run the command"
            + " with the launcher of a distribution.");
  }
}
