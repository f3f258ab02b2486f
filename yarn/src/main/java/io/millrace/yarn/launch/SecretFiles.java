package io.millrace.yarn.launch;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.apache.hadoop.io.DataInputByteBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.yarn.api.ApplicationConstants;

/**
 * Files that one container has and no other. They travel with its tokens, which YARN hands to
 * nobody but the container's user: they are on no file system that the other containers read, and
 * neither in the command nor in the variables, which YARN copies to the logs.
 */
public final class SecretFiles {
  /** What a file's place follows among the other secrets that tokens come with. */
  private static final String PREFIX = "millrace.file.";

  private SecretFiles() {}

  /**
   * The tokens, and with them the files.
   *
   * @param files by the place that the container has them at
   */
  static ByteBuffer with(ByteBuffer tokens, Map<String, byte[]> files) {
    if (files.isEmpty()) {
      return tokens;
    }
    Credentials credentials = new Credentials();
    try (DataInputByteBuffer in = new DataInputByteBuffer();
        DataOutputBuffer out = new DataOutputBuffer()) {
      if (tokens.hasRemaining()) {
        in.reset(tokens.duplicate());
        credentials.readTokenStorageStream(in);
      }
      files.forEach(
          (place, content) -> credentials.addSecretKey(new Text(PREFIX + place), content));
      credentials.writeTokenStorageToStream(out);
      return ByteBuffer.wrap(out.getData(), 0, out.getLength());
    } catch (IOException e) {
      throw new IllegalStateException("Memory can be read and written", e);
    }
  }

  /**
   * Puts the files of this container in their places.
   *
   * @param environment says where YARN has left the container's tokens
   * @param directory the container's own
   */
  public static void unpack(Map<String, String> environment, Path directory) {
    String tokens = environment.get(ApplicationConstants.CONTAINER_TOKEN_FILE_ENV_NAME);
    if (tokens == null) {
      return;
    }
    try {
      Credentials credentials = new Credentials();
      try (DataInputStream in = new DataInputStream(Files.newInputStream(Path.of(tokens)))) {
        credentials.readTokenStorageStream(in);
      }
      for (Text alias : credentials.getAllSecretKeys()) {
        if (alias.toString().startsWith(PREFIX)) {
          String place = alias.toString().substring(PREFIX.length());
          write(directory.resolve(place), credentials.getSecretKey(alias));
        }
      }
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.EXTERNAL,
          "The files that come with this container's tokens cannot be taken from "
              + tokens
              + ": "
              + e,
          e);
    }
  }

  private static void write(Path file, byte[] content) throws IOException {
    Files.createDirectories(
        file.getParent(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    // YARN may start a container anew where it was.
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.write(file, content);
  }
}
