package io.millrace.core.security;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Option;
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

/** The token that authenticates clients of a REST server. */
public final class RestToken {
  private static final int BYTES = 32;
  private static final int MIN_CHARS = 16;

  private RestToken() {}

  /** A new random token. */
  public static String random() {
    byte[] bytes = new byte[BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** Reads the configured token file; empty if none is configured. */
  public static Optional<String> of(Configuration configuration) {
    return read(configuration, SecurityOptions.REST_TOKEN_FILE);
  }

  /** Reads the configured token file of clients that may read only; empty if none is configured. */
  public static Optional<String> ofReaders(Configuration configuration) {
    return read(configuration, SecurityOptions.REST_READER_TOKEN_FILE);
  }

  private static Optional<String> read(Configuration configuration, Option<String> option) {
    return configuration.find(option).map(file -> read(Path.of(file), option));
  }

  private static String read(Path file, Option<String> option) {
    String token;
    try {
      PrivateFile.check("The token file", file);
      token = Files.readString(file).strip();
    } catch (IOException e) {
      throw new MillraceException(
          ErrorKind.USER,
          "The file " + file + " (" + option.key() + ") cannot be read: " + Failure.sentence(e),
          e);
    }
    if (token.length() < MIN_CHARS || !token.chars().allMatch(RestToken::isPlain)) {
      throw new MillraceException(
          ErrorKind.USER,
          "The file "
              + file
              + " ("
              + option.key()
              + ") must have one line of at least "
              + MIN_CHARS
              + " letters and digits, such as the output of `openssl rand -hex 32`.");
    }
    return token;
  }

  /** Other characters could be changed in a header. */
  private static boolean isPlain(int character) {
    return character > ' ' && character < 127;
  }
}
