package io.millrace.core.security;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files with secrets, readable by their owner only. */
public final class PrivateFile {
  /** The permissions of the owner are not checked: a resource manager may make the file r-x. */
  private static final Set<PosixFilePermission> OF_OTHERS =
      PosixFilePermissions.fromString("---rwxrwx");

  private PrivateFile() {}

  /**
   * Rejects a file that other users can read or change.
   *
   * @param what the subject of the error message: {@code The secret file}
   */
  public static void check(String what, Path file) throws IOException {
    if (Files.getPosixFilePermissions(file).stream().anyMatch(OF_OTHERS::contains)) {
      throw new MillraceException(
          ErrorKind.USER,
          what + " " + file + " is accessible to other users. Run: chmod 600 " + file);
    }
  }

  /** Creates a file with mode 600; throws if it exists. */
  public static void create(Path file, String content) throws IOException {
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(file, content);
  }
}
