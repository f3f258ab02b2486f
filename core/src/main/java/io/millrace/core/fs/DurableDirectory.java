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
 * Creates local directories that survive a power loss. The name of a file is durable only after an
 * fsync of its directory, and the name of that directory only after an fsync of its parent.
 */
public final class DurableDirectory {
  private DurableDirectory() {}

  /** Creates the directory and its missing parents with mode 700 and syncs their names to disk. */
  public static Path create(Path directory) throws IOException {
    Path absolute = directory.toAbsolutePath();
    Path there = absolute.getParent();
    while (there != null && !Files.isDirectory(there)) {
      there = there.getParent();
    }
    Files.createDirectories(directory, ownerOnly());
    // The parent is synced even if nothing was missing: its creator may have been killed before the
    // sync.
    for (Path parent = absolute.getParent(); parent != null; parent = parent.getParent()) {
      force(parent);
      if (parent.equals(there)) {
        break;
      }
    }
    return directory;
  }

  /** Syncs all names on the path of the directory, as far as this process may read the parents. */
  public static void forcePath(Path directory) throws IOException {
    for (Path at = directory.toAbsolutePath(); at != null; at = at.getParent()) {
      try {
        force(at);
      } catch (AccessDeniedException notMadeByThisUser) {
        return;
      }
    }
  }

  /** Syncs the names in a directory to disk. */
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
