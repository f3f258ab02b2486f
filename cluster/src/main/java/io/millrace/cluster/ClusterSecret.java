package io.millrace.cluster;

import io.millrace.client.UserHome;
import io.millrace.core.Bytes;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.security.PrivateFile;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * The secret with which the processes of a cluster authenticate each other, in a file that only its
 * owner can read. On a shared machine an open port without authentication lets each local user run
 * code, so there is always a secret. If none is configured, it is the one of the user, which is
 * created on first use.
 */
final class ClusterSecret {
  private static final int BYTES = 32;

  private ClusterSecret() {}

  static Bytes read(Configuration configuration) {
    Path file =
        configuration
            .find(SecurityOptions.CLUSTER_SECRET_FILE)
            .map(Path::of)
            .orElseGet(() -> secretOfUser(UserHome.of(System.getenv()).resolve(".millrace")));
    try {
      PrivateFile.check("The secret file", file);
      Bytes secret = Bytes.wrap(Files.readAllBytes(file));
      if (secret.length() < 16) {
        throw new MillraceException(
            ErrorKind.USER,
            "The secret file "
                + file
                + " has less than 16 bytes. Put at least 16 random bytes there.");
      }
      return secret;
    } catch (NoSuchFileException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "There is no secret file "
              + file
              + " ("
              + SecurityOptions.CLUSTER_SECRET_FILE.key()
              + "). Put at least 16 random bytes there, the same for every process of the cluster.",
          e);
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Cannot read the secret file "
              + file
              + " ("
              + SecurityOptions.CLUSTER_SECRET_FILE.key()
              + "): "
              + e.getMessage(),
          e);
    }
  }

  private static Path secretOfUser(Path directory) {
    Path file = directory.resolve("cluster-secret");
    try {
      if (!Files.exists(file)) {
        Files.createDirectories(
            directory,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        byte[] random = new byte[BYTES];
        new SecureRandom().nextBytes(random);
        Path temporary =
            Files.createTempFile(
                directory,
                "secret",
                ".new",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(
            temporary, HexFormat.of().formatHex(random), StandardOpenOption.TRUNCATE_EXISTING);
        try {
          // A link fails if the file exists, so two processes that start at once use one secret.
          Files.createLink(file, temporary);
        } finally {
          Files.delete(temporary);
        }
      }
      return file;
    } catch (FileAlreadyExistsException e) {
      return file;
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "Cannot create the secret file "
              + file
              + ": "
              + e.getMessage()
              + ". Set "
              + SecurityOptions.CLUSTER_SECRET_FILE.key()
              + " to a file that can be written.",
          e);
    }
  }
}
