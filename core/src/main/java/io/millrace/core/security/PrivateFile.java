package io.millrace.core.security;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files with secrets, which nobody but their owner may read. */
public final class PrivateFile {
  /** The owner's own rights are not checked: a resource manager may make the file r-x. */
  private static final Set<PosixFilePermission> OF_OTHERS =
      PosixFilePermissions.fromString("---rwxrwx");

  private PrivateFile() {}

  /**
   * Refuses a file that others than its owner can read or change.
   *
   * @param what the file is, as the subject of a sentence: {@code The secret file}
   */
  public static void check(String what, Path file) throws IOException {
    if (Files.getPosixFilePermissions(file).stream().anyMatch(OF_OTHERS::contains)) {
      throw new MillraceException(
          ErrorKind.USER,
          what + " " + file + " is open to others than its owner. Run: chmod 600 " + file);
    }
  }

  /** Makes a file with mode 600. Fails where there is one. */
  public static void create(Path file, String content) throws IOException {
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(file, content);
  }
}
