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
 * Files that only one container gets. They travel with its tokens, which YARN gives only to the
 * user of the container. They are on no file system that other containers can read, and neither in
 * the command nor in the variables, which YARN copies to the logs.
 */
public final class SecretFiles {
  /** The prefix of files among the secret keys of the credentials. */
  private static final String PREFIX = "millrace.file.";

  private SecretFiles() {}

  /**
   * Adds the files to the tokens.
   *
   * @param files by their paths in the container
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
      files.forEach((path, content) -> credentials.addSecretKey(new Text(PREFIX + path), content));
      credentials.writeTokenStorageToStream(out);
      return ByteBuffer.wrap(out.getData(), 0, out.getLength());
    } catch (IOException e) {
      throw new IllegalStateException("A buffer in memory cannot be read or written", e);
    }
  }

  /**
   * Writes the files of this container.
   *
   * @param environment names the token file of the container
   * @param directory the working directory of the container
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
          String path = alias.toString().substring(PREFIX.length());
          write(directory.resolve(path), credentials.getSecretKey(alias));
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

  /** Writes a file that only its owner can read. */
  static void write(Path file, byte[] content) throws IOException {
    Files.createDirectories(
        file.getParent(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    // YARN may restart a container in the same directory.
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.write(file, content);
  }
}
