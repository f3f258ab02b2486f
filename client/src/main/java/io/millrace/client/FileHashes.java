package io.millrace.client;

import io.millrace.core.Sha256;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.BlobKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;

/** Computes the blob keys of files without reading them into memory. */
public final class FileHashes {
  private FileHashes() {}

  public static BlobKey of(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest digest = Sha256.begin();
      byte[] buffer = new byte[64 * 1024];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        digest.update(buffer, 0, read);
      }
      return BlobKey.of(digest.digest());
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The jar " + file + " cannot be read: " + e + ". Check that it exists and is readable.",
          e);
    }
  }
}
