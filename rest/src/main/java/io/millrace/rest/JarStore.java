package io.millrace.rest;

import io.millrace.core.id.Id128;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;
import java.util.zip.ZipException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Uploaded jars in a directory, each in {@code <uuid>_<name>.jar}. Methods block. */
final class JarStore {
  private static final Logger LOG = LoggerFactory.getLogger(JarStore.class);
  private static final int MAX_NAME_LENGTH = 120;
  private static final Pattern ID =
      Pattern.compile(
          "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}_[A-Za-z0-9._-]{1," + MAX_NAME_LENGTH + "}");
  private static final int UUID_LENGTH = 36;
  private static final byte[] ZIP_MAGIC = {'P', 'K', 3, 4};

  private final Path directory;
  private final RandomGenerator random;

  /** The prefix of the names of files that this process receives. */
  private final String incoming;

  JarStore(Path directory, RandomGenerator random) {
    this.directory = directory;
    this.random = random;
    this.incoming = "incoming-" + Id128.random(random) + "-";
  }

  /**
   * @param mainClass from the manifest
   */
  record StoredJar(String id, long uploaded, Optional<String> mainClass) {
    /** The file name that the client gave, with special characters replaced. */
    String name() {
      return id.substring(UUID_LENGTH + 1);
    }
  }

  /** A new file to receive an upload into. */
  Path newUploadFile() {
    return directory.resolve(incoming + Id128.random(random));
  }

  /** Moves a received file into the store, or deletes it and throws if it is not a jar. */
  Path accept(Path received, String clientName) throws IOException {
    String name = sanitized(clientName);
    try {
      if (!name.toLowerCase(Locale.ROOT).endsWith(".jar")) {
        throw new RestError(400, "'" + name + "' is not a jar: its name does not end with .jar.");
      }
      if (!isJar(received)) {
        throw new RestError(400, "'" + name + "' is not a jar: its content is not a zip archive.");
      }
      return Files.move(received, directory.resolve(uuid() + "_" + name));
    } finally {
      Files.deleteIfExists(received);
    }
  }

  /** Deletes a received file that is not stored. */
  boolean discard(Path received) throws IOException {
    return Files.deleteIfExists(received);
  }

  /**
   * The length of all files in bytes, without those that arrive now. It includes what an earlier
   * process has not received completely.
   */
  long storedBytes() throws IOException {
    long bytes = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        if (!file.getFileName().toString().startsWith(incoming)) {
          bytes += file.toFile().length();
        }
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      // The directory is created by the first upload.
      return 0;
    }
    return bytes;
  }

  /** Newest first. */
  List<StoredJar> list() throws IOException {
    List<StoredJar> jars = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        String id = file.getFileName().toString();
        if (ID.matcher(id).matches()) {
          describe(id, file).ifPresent(jars::add);
        }
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      // The directory is created by the first upload.
      return List.of();
    }
    jars.sort(
        Comparator.comparingLong(StoredJar::uploaded).reversed().thenComparing(StoredJar::id));
    return jars;
  }

  /** Empty for a jar that was deleted while the directory was read. */
  private static Optional<StoredJar> describe(String id, Path file) throws IOException {
    try {
      long uploaded = Files.getLastModifiedTime(file).toMillis();
      return Optional.of(new StoredJar(id, uploaded, mainClass(file)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  Path find(String id) {
    Path file = directory.resolve(checked(id));
    if (!Files.isRegularFile(file)) {
      throw unknown(id);
    }
    return file;
  }

  void delete(String id) throws IOException {
    if (!Files.deleteIfExists(directory.resolve(checked(id)))) {
      throw unknown(id);
    }
  }

  /** The pattern of ids allows no path separator, so an id cannot leave the directory. */
  private static String checked(String id) {
    if (!ID.matcher(id).matches()) {
      throw unknown(id);
    }
    return id;
  }

  private static RestError unknown(String id) {
    return new RestError(404, "There is no jar '" + id + "'. GET /jars lists the uploaded jars.");
  }

  private static String sanitized(String name) {
    String last = name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
    String plain = last.replaceAll("[^A-Za-z0-9._-]", "_");
    return plain.length() <= MAX_NAME_LENGTH
        ? plain
        : plain.substring(plain.length() - MAX_NAME_LENGTH);
  }

  private static boolean isJar(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      if (!Arrays.equals(in.readNBytes(ZIP_MAGIC.length), ZIP_MAGIC)) {
        return false;
      }
    }
    try (JarFile jar = new JarFile(file.toFile())) {
      return jar.size() > 0;
    } catch (ZipException e) {
      return false;
    }
  }

  /** Empty also for a manifest that cannot be read: running the jar reports the error. */
  private static Optional<String> mainClass(Path file) throws NoSuchFileException {
    try (JarFile jar = new JarFile(file.toFile())) {
      Manifest manifest = jar.getManifest();
      return Optional.ofNullable(manifest)
          .map(present -> present.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS));
    } catch (NoSuchFileException e) {
      throw e;
    } catch (IOException | IllegalArgumentException | SecurityException e) {
      LOG.info("The manifest of {} cannot be read: {}", file, e.getMessage());
      return Optional.empty();
    }
  }

  private String uuid() {
    String digits = Id128.random(random).toString();
    return String.join(
        "-",
        digits.substring(0, 8),
        digits.substring(8, 12),
        digits.substring(12, 16),
        digits.substring(16, 20),
        digits.substring(20));
  }
}
