package io.millrace.cli.project;

import io.millrace.cli.common.UsageException;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Writes the files of a project from templates. */
final class ProjectFiles {
  /** That of the tests of a project. */
  static final String JUNIT_VERSION = "6.1.3";

  private final Map<String, String> values = new LinkedHashMap<>();
  private final ProjectNames names;
  private final BuildTool tool;

  /**
   * @param version of the distribution
   * @param home the distribution
   */
  ProjectFiles(ProjectNames names, BuildTool tool, String version, Path home) {
    this.names = names;
    this.tool = tool;
    values.put("@groupId@", names.groupId());
    values.put("@artifactId@", names.artifactId());
    values.put("@package@", names.packageName());
    values.put("@version@", version);
    values.put("@millrace@", home.resolve("bin/millrace").toString());
    String repository = home.resolve("repository").toUri().toString();
    values.put("@repository@", escaped(repository));
    values.put("@repository.groovy@", repository.replace("\\", "\\\\").replace("'", "%27"));
    values.put("@junit.version@", JUNIT_VERSION);
    values.putAll(tool.values(names));
  }

  /** For XML, and for Maven, which replaces what looks like one of its properties. */
  private static String escaped(String uri) {
    return uri.replace("&", "&amp;").replace("<", "&lt;").replace("$", "%24");
  }

  /** Creates the files; the directory is empty or not there. */
  List<Path> write(Path directory) {
    requireEmpty(directory);
    String packageDirectory = names.packageName().replace('.', '/');
    Map<String, String> files = new LinkedHashMap<>();
    tool.files().forEach(name -> files.put(name, template(name)));
    files.put("src/main/java/" + packageDirectory + "/WordCount.java", template("WordCount.java"));
    files.put(
        "src/test/java/" + packageDirectory + "/WordCountTest.java",
        template("WordCountTest.java"));
    files.put("README.md", template("README.md"));
    files.put(".gitignore", tool.ignored());
    try {
      for (Map.Entry<String, String> file : files.entrySet()) {
        Path path = directory.resolve(file.getKey());
        Files.createDirectories(path.getParent());
        Files.writeString(path, file.getValue());
      }
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "The project cannot be written to '" + directory + "': " + e, e);
    }
    return files.keySet().stream().map(directory::resolve).toList();
  }

  private static void requireEmpty(Path directory) {
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      throw new UsageException(
          "'" + directory + "' is a file. Name a directory that is empty or not there.");
    }
    if (!Files.isDirectory(directory)) {
      return;
    }
    try (Stream<Path> files = Files.list(directory)) {
      if (files.findAny().isPresent()) {
        throw new UsageException(
            "The directory '"
                + directory
                + "' is not empty, and nothing in it is overwritten. Name one that is empty or not"
                + " there.");
      }
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "The directory '" + directory + "' cannot be read: " + e, e);
    }
  }

  private String template(String name) {
    try (InputStream in = ProjectFiles.class.getResourceAsStream(name + ".template")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (Map.Entry<String, String> value : values.entrySet()) {
        text = text.replace(value.getKey(), value.getValue());
      }
      return text;
    } catch (IOException e) {
      throw new MillraceException(ErrorKind.BUG, "A template cannot be read: " + e, e);
    }
  }
}
