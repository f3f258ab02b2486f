package io.millrace.yarn.launch;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * Unpacks the files of a container. A process calls this before it creates its first logger,
 * because they have the logging configuration of the user.
 *
 * <p>The NodeManager could unpack the archive of the application, too. It then sets the rights of
 * each file, without Hadoop's native library by a process of its own, while the container waits.
 */
public final class ContainerFiles {
  private ContainerFiles() {}

  /**
   * @param environment names the token file of the container
   * @param directory the working directory of the container
   */
  public static void unpack(Map<String, String> environment, Path directory) {
    Path archive = directory.resolve(ContainerLayout.APPLICATION_ARCHIVE);
    // A process that was started by hand has none; it reports what it lacks.
    if (Files.exists(archive)) {
      unpackArchive(archive, directory.resolve(ContainerLayout.APPLICATION));
    }
    SecretFiles.unpack(environment, directory);
  }

  private static void unpackArchive(Path archive, Path target) {
    try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(archive))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        Path file = target.resolve(entry.getName()).normalize();
        if (!file.startsWith(target) || file.equals(target)) {
          throw new IOException("its entry '" + entry.getName() + "' is no file of an application");
        }
        SecretFiles.write(file, zip.readAllBytes());
      }
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The files of the application cannot be taken from " + archive + ": " + e.getMessage(),
          e);
    }
  }
}
