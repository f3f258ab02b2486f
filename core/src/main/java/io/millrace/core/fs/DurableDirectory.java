package io.millrace.core.fs;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Directories of this machine that a loss of power leaves in place. The name of a file is on the
 * disk only when its directory was forced, and so is the name of that directory in the one above.
 */
public final class DurableDirectory {
  private DurableDirectory() {}

  /**
   * Makes the directory and those above it, for their owner only, as far as they are missing, and
   * forces their names to the disk.
   */
  public static Path create(Path directory) throws IOException {
    Path absolute = directory.toAbsolutePath();
    Path there = absolute.getParent();
    while (there != null && !Files.isDirectory(there)) {
      there = there.getParent();
    }
    Files.createDirectories(directory, ownerOnly());
    // The parent is forced also where nothing was missing: whoever made it may have been killed.
    for (Path parent = absolute.getParent(); parent != null; parent = parent.getParent()) {
      force(parent);
      if (parent.equals(there)) {
        break;
      }
    }
    return directory;
  }

  /** Forces all names that lead to the directory, as far as this process may read those above. */
  public static void forcePath(Path directory) throws IOException {
    for (Path at = directory.toAbsolutePath(); at != null; at = at.getParent()) {
      try {
        force(at);
      } catch (AccessDeniedException notMadeByThisUser) {
        return;
      }
    }
  }

  /** Forces the names in a directory to the disk. */
  public static void force(Path directory) throws IOException {
    try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
      names.force(true);
    }
  }

  private static FileAttribute<?>[] ownerOnly() {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
        }
        : new FileAttribute<?>[0];
  }
}
