package io.millrace.control.ha;

import io.millrace.core.Bytes;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/**
 * The file name of a key. Whatever a key holds, its name has letters, digits and a few signs that
 * every file system takes and none gives a meaning to, upper and lower case told apart; a key too
 * long for that ends in its hash.
 */
final class KeyFileName {
  private static final String SUFFIX = ".value";
  private static final int LONGEST = 180;
  private static final int BEGINNING = 100;

  /** Stands before the hash and in no other name. */
  private static final char HASHED = '~';

  private KeyFileName() {}

  static String name(String key) {
    StringBuilder name = new StringBuilder();
    for (byte next : key.getBytes(StandardCharsets.UTF_8)) {
      if ((next >= 'a' && next <= 'z') || (next >= '0' && next <= '9') || next == '-') {
        name.append((char) next);
      } else {
        name.append('%').append(HexFormat.of().toHexDigits(next));
      }
    }
    if (name.length() > LONGEST) {
      String hash = HexFormat.of().formatHex(Bytes.utf8(key).sha256());
      name.setLength(BEGINNING);
      name.append(HASHED).append(hash);
    }
    return name + SUFFIX;
  }

  static boolean isValue(String name) {
    return name.endsWith(SUFFIX);
  }

  /** The key of a file name; nothing where only the file itself can tell. */
  static Optional<String> key(String name) {
    String code = name.substring(0, name.length() - SUFFIX.length());
    if (code.indexOf(HASHED) >= 0) {
      return Optional.empty();
    }
    ByteArrayOutputStream key = new ByteArrayOutputStream();
    for (int i = 0; i < code.length(); i++) {
      char next = code.charAt(i);
      if (next == '%' && i + 2 < code.length() && isHex(code, i + 1)) {
        key.write(HexFormat.fromHexDigits(code, i + 1, i + 3));
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
