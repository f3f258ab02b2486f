package io.millrace.yarn.client;

import io.millrace.client.SessionFiles;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.yarn.YarnOptions;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/** The file with the current session on YARN, for commands that name none. */
final class YarnSessionFile {
  private static final String KEY = "applicationID";

  private final Path path;

  private YarnSessionFile(Path path) {
    this.path = path;
  }

  static YarnSessionFile of(Configuration configuration, Map<String, String> environment) {
    Path directory =
        configuration
            .find(YarnOptions.PROPERTIES_FILE_DIR)
            .map(Path::of)
            .orElseGet(() -> SessionFiles.directory(environment));
    return new YarnSessionFile(directory.resolve(SessionFiles.name(YarnCommandLineStyle.NAME)));
  }

  Path path() {
    return path;
  }

  /** The application in the file, if the file exists. */
  Optional<String> application() {
    if (!Files.exists(path)) {
      return Optional.empty();
    }
    try (Reader in = Files.newBufferedReader(path, StandardCharsets.UTF_8)) {
      Properties properties = new Properties();
      properties.load(in);
      String application = properties.getProperty(KEY, "").strip();
      if (application.isEmpty()) {
        throw unreadable("it has no line `" + KEY + "=application_…`", null);
      }
      return Optional.of(application);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException | IllegalArgumentException e) {
      throw unreadable(e.toString(), e);
    }
  }

  private MillraceException unreadable(String why, Exception cause) {
    return new MillraceException(
        ErrorKind.USER,
        "The file "
            + path
            + ", which names the current session on YARN, cannot be read: "
            + why
            + ". Remove it, or name the session with -yid.",
        cause);
  }

  void write(String application) {
    try {
      Files.createDirectories(path.getParent());
      Files.writeString(
          path,
          "# The current session on YARN, for commands that name none. Written by `millrace session"
              + " start`.\n"
              + KEY
              + "="
              + application
              + "\n");
    } catch (IOException e) {
      throw unwritable(e);
    }
  }

  /** Checks that the file can be written, before the session starts. */
  void prepare() {
    try {
      Files.createDirectories(path.getParent());
      if (!Files.isWritable(Files.exists(path) ? path : path.getParent())) {
        throw new AccessDeniedException(path.toString());
      }
    } catch (IOException e) {
      throw unwritable(e);
    }
  }

  private MillraceException unwritable(IOException e) {
    return new MillraceException(
        ErrorKind.USER,
        "The file "
            + path
            + " cannot be written: "
            + e
            + ". Set "
            + YarnOptions.PROPERTIES_FILE_DIR.key()
            + " to a writable directory.",
        e);
  }

  /** Removes the file if it names this application, which has ended. */
  void forget(String application) {
    try {
      if (application().filter(application::equals).isPresent()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "The file " + path + " was left behind: " + e, e);
    }
  }
}
