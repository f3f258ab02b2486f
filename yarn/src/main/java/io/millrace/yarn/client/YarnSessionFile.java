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

/** The file that names the session on YARN that a user's commands mean where they name none. */
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

  /** The application that it names, if it is there. */
  Optional<String> application() {
    if (!Files.exists(path)) {
      return Optional.empty();
    }
    try (Reader in = Files.newBufferedReader(path, StandardCharsets.UTF_8)) {
      Properties properties = new Properties();
      properties.load(in);
      String named = properties.getProperty(KEY, "").strip();
      if (named.isEmpty()) {
        throw broken("it has no line `" + KEY + "=application_…`", null);
      }
      return Optional.of(named);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException | IllegalArgumentException e) {
      throw broken(e.toString(), e);
    }
  }

  private MillraceException broken(String why, Exception cause) {
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
          "# The session on YARN that commands mean which name none. Written by `millrace session"
              + " start`.\n"
              + KEY
              + "="
              + application
              + "\n");
    } catch (IOException e) {
      throw unwritable(e);
    }
  }

  /** Sees to it that it can be written, before there is something to write down. */
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
            + " to a directory that can.",
        e);
  }

  /** Forgets an application that has ended; does nothing where the file names another one. */
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
