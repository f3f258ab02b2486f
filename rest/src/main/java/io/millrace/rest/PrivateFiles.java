package io.millrace.rest;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Creates directories that only the owner can access: files in them are executed, so another user
 * with write access could run code as the owner.
 */
final class PrivateFiles {
  private PrivateFiles() {}

  static void makeDirectory(Path directory) throws IOException {
    Files.createDirectories(directory, ownerOnly());
  }

  private static FileAttribute<?>[] ownerOnly() {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
        }
        : new FileAttribute<?>[0];
  }
}
