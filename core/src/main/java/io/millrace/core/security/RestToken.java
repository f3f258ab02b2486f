package io.millrace.core.security;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.SecurityOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;

/** What clients of a REST server present, so that it serves nobody else. */
public final class RestToken {
  private static final int BYTES = 32;
  private static final int LEAST = 16;

  private RestToken() {}

  /** A new one, which nobody guesses. */
  public static String random() {
    byte[] bytes = new byte[BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** The one in the file that a configuration names; nothing where it names none. */
  public static Optional<String> of(Configuration configuration) {
    return configuration.find(SecurityOptions.REST_TOKEN_FILE).map(file -> read(Path.of(file)));
  }

  private static String read(Path file) {
    String token;
    try {
      PrivateFile.check("The token file", file);
      token = Files.readString(file).strip();
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The file "
              + file
              + " ("
              + SecurityOptions.REST_TOKEN_FILE.key()
              + ") cannot be read: "
              + Failure.sentence(e),
          e);
    }
    if (token.length() < LEAST || !token.chars().allMatch(RestToken::isPlain)) {
      throw new MillraceException(
          ErrorKind.USER,
          "The file "
              + file
              + " ("
              + SecurityOptions.REST_TOKEN_FILE.key()
              + ") wants one line of at least "
              + LEAST
              + " letters and digits, such as `openssl rand -hex 32` prints.");
    }
    return token;
  }

  /** Whatever else there may be would not get through a header as it is. */
  private static boolean isPlain(int character) {
    return character > ' ' && character < 127;
  }
}
