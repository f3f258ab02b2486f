package io.millrace.cli.common;

/** Text of users and clusters without control characters, for one line of a terminal. */
public final class SingleLine {
  private SingleLine() {}

  /** The text without line breaks and other control characters, which could falsify the output. */
  public static String of(String text) {
    StringBuilder line = new StringBuilder(text.length());
    boolean broken = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
        broken = true;
      } else if (!broken) {
        line.append(c);
      } else if (c != ' ') {
        String before = line.toString().stripTrailing();
        line.setLength(before.length());
        line.append(line.isEmpty() ? "" : " ").append(c);
        broken = false;
      }
    }
    return line.toString().strip();
  }
}
