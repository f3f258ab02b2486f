package io.millrace.yarn.client;

import io.millrace.client.UserHome;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.tls.RestClientTls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The tokens with which the commands of this user authenticate to the REST servers of clusters.
 *
 * @param directory with a directory for each application
 * @param tls the settings of encrypted connections, if connections are encrypted
 */
record RestTokenStore(Path directory, Optional<RestClientTls> tls) {
  private static final String NAME = "rest.token";

  RestTokenStore {
    Objects.requireNonNull(directory);
    Objects.requireNonNull(tls);
  }

  static RestTokenStore of(Configuration configuration, Map<String, String> environment) {
    return new RestTokenStore(
        UserHome.of(environment).resolve(".millrace").resolve("yarn"),
        RestClientTls.of(configuration));
  }

  static RestTokenStore in(Path directory) {
    return new RestTokenStore(directory, Optional.empty());
  }

  void keep(String application, String token) {
    Path file = directory.resolve(application).resolve(NAME);
    try {
      Files.createDirectories(
          file.getParent(),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      Path draft =
          Files.createTempFile(
              file.getParent(),
              NAME,
              ".new",
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(draft, token);
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The token of application "
              + application
              + " cannot be kept in "
              + file
              + ": "
              + e
              + ". Make the directory writable.",
          e);
    }
  }

  Optional<String> find(String application) {
    Path file = directory.resolve(application).resolve(NAME);
    try {
      return Optional.of(Files.readString(file).strip());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER, "The token in " + file + " cannot be read: " + e, e);
    }
  }

  /** The applications that have a token here. */
  List<String> applications() {
    String[] names = directory.toFile().list();
    return names == null ? List.of() : List.of(names);
  }

  /** The time at which the token was written; the epoch if there is none. */
  Instant lastTouched(String application) {
    return Instant.ofEpochMilli(directory.resolve(application).toFile().lastModified());
  }

  /** Removes the token of an application that has ended. */
  void forget(String application) {
    Path own = directory.resolve(application);
    try {
      String[] names = own.toFile().list();
      // A killed process may have left a temporary file.
      for (String name : names == null ? new String[0] : names) {
        Files.deleteIfExists(own.resolve(name));
      }
      Files.deleteIfExists(own);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL, "The directory " + own + " was left behind: " + e, e);
    }
  }
}
