package io.millrace.control.ha;

import io.millrace.core.Bytes;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The name of the file or node of a key. It consists of lower-case letters, digits, '-' and '%',
 * which no file system treats specially; other characters are escaped. The name of a long key is
 * shortened and ends with the hash of the key.
 */
public final class KeyFileName {
  private static final String SUFFIX = ".value";
  private static final int MAX_LENGTH = 180;
  private static final int PREFIX_LENGTH = 100;

  /** Separates the hash. Does not occur in other names. */
  private static final char HASH_SEPARATOR = '~';

  private KeyFileName() {}

  public static String name(String key) {
    StringBuilder name = new StringBuilder();
    for (byte next : key.getBytes(StandardCharsets.UTF_8)) {
      if ((next >= 'a' && next <= 'z') || (next >= '0' && next <= '9') || next == '-') {
        name.append((char) next);
      } else {
        name.append('%').append(HexFormat.of().toHexDigits(next));
      }
    }
    if (name.length() > MAX_LENGTH) {
      String hash = HexFormat.of().formatHex(Bytes.utf8(key).sha256());
      name.setLength(PREFIX_LENGTH);
      name.append(HASH_SEPARATOR).append(hash);
    }
    return name + SUFFIX;
  }

  public static boolean isValue(String name) {
    return name.endsWith(SUFFIX);
  }

  /** The key of a file name; empty if the name has a hash and only the file contains the key. */
  public static Optional<String> key(String name) {
    String encoded = name.substring(0, name.length() - SUFFIX.length());
    if (encoded.indexOf(HASH_SEPARATOR) >= 0) {
      return Optional.empty();
    }
    ByteArrayOutputStream key = new ByteArrayOutputStream();
    for (int i = 0; i < encoded.length(); i++) {
      char next = encoded.charAt(i);
      if (next == '%' && i + 2 < encoded.length() && isHex(encoded, i + 1)) {
        key.write(HexFormat.fromHexDigits(encoded, i + 1, i + 3));
        i += 2;
      } else {
        key.write(next);
      }
    }
    return Optional.of(key.toString(StandardCharsets.UTF_8));
  }

  private static boolean isHex(String text, int from) {
    return HexFormat.isHexDigit(text.charAt(from)) && HexFormat.isHexDigit(text.charAt(from + 1));
  }
}
