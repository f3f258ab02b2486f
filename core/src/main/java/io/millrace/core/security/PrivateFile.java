package io.millrace.core.security;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files with secrets, readable by their owner only. */
public final class PrivateFile {
  /** The permissions of the owner are not checked: a resource manager may make the file r-x. */
  private static final Set<PosixFilePermission> OF_OTHERS =
      PosixFilePermissions.fromString("---rwxrwx");

  private static final FileAttribute<?> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

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
    create(file, content.getBytes(StandardCharsets.UTF_8));
  }

  /** Creates a file with mode 600; throws if it exists. */
  public static void create(Path file, byte[] content) throws IOException {
    Files.createFile(file, OWNER_ONLY);
    Files.write(file, content);
  }

  /** Creates or replaces a file with mode 600, in one step. */
  public static void replace(Path file, byte[] content) throws IOException {
    Path draft =
        Files.createTempFile(file.getParent(), file.getFileName() + "-", ".new", OWNER_ONLY);
    try {
      Files.write(draft, content);
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(draft);
    }
  }
}
