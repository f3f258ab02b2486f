package io.millrace.cli.project;

import io.millrace.cli.common.UsageException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.lang.model.SourceVersion;

/** The names of a project, each of which is legal. */
record ProjectNames(String groupId, String artifactId, String packageName) {
  private static final Pattern GROUP = Pattern.compile("[A-Za-z_][\\w-]*(\\.[A-Za-z0-9_][\\w-]*)*");
  private static final Pattern ARTIFACT = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]*");
  private static final int LONGEST = 100;

  ProjectNames {
    check("--group-id", groupId, GROUP.matcher(groupId).matches(), "com.example");
    check("--artifact-id", artifactId, ARTIFACT.matcher(artifactId).matches(), "word-count");
    check(
        "--package",
        packageName,
        SourceVersion.isName(packageName, SourceVersion.RELEASE_17),
        "com.example");
    if (packageName.startsWith("io.millrace.") || packageName.equals("io.millrace")) {
      throw new UsageException(
          "--package cannot be '"
              + packageName
              + "': classes below io.millrace are those of the engine. Choose another package.");
    }
  }

  private static void check(String option, String value, boolean isLegal, String example) {
    if (!isLegal || value.length() > LONGEST) {
      throw new UsageException(
          option + " cannot be '" + value + "'. A legal value is '" + example + "'.");
    }
  }

  /** The names that are not given follow from the directory and from the group. */
  static ProjectNames of(
      Path directory, String groupId, Optional<String> artifactId, Optional<String> packageName) {
    String name = String.valueOf(directory.getFileName()).toLowerCase(Locale.ROOT);
    if (artifactId.isEmpty() && !ARTIFACT.matcher(name).matches()) {
      throw new UsageException(
          "The name of the directory '"
              + directory
              + "' cannot be that of a project. Name one with --artifact-id.");
    }
    return new ProjectNames(
        groupId, artifactId.orElse(name), packageName.orElse(groupId.replace('-', '_')));
  }
}
