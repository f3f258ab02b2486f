package io.millrace.cli.memory;

import io.millrace.core.MemorySize;
import io.millrace.core.OrderedCopies;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Draws memory as a box that contains the boxes of its parts. The output is ASCII, which works in
 * any locale.
 */
record MemoryBox(String name, long bytes, List<MemoryBox> parts) {
  private static final int WIDTH = 76;

  MemoryBox {
    parts = OrderedCopies.list(parts);
  }

  static MemoryBox of(String name, long bytes, MemoryBox... parts) {
    return new MemoryBox(name, bytes, Arrays.asList(parts));
  }

  List<String> lines() {
    return lines(WIDTH);
  }

  private List<String> lines(int width) {
    MemorySize size = new MemorySize(bytes);
    // The text of a small size already has the bytes.
    String text = bytes < 1 << 20 ? size.toString() : size + " (" + bytes + " bytes)";
    List<String> lines = new ArrayList<>();
    if (parts.isEmpty()) {
      lines.add(filled("   " + name + " ", ' ', " " + text + "   ", width));
      return lines;
    }
    lines.add(filled("+- " + name + " ", '-', " " + text + " -+", width));
    for (MemoryBox part : parts) {
      part.lines(width - 4).forEach(line -> lines.add("| " + line + " |"));
    }
    lines.add("+" + "-".repeat(width - 2) + "+");
    return lines;
  }

  private static String filled(String left, char middle, String right, int width) {
    int room = Math.max(0, width - left.length() - right.length());
    return left + String.valueOf(middle).repeat(room) + right;
  }
}
