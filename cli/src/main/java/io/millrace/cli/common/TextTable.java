package io.millrace.cli.common;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Rows in aligned columns, with notes below them. */
public final class TextTable {
  private final List<List<String>> lines = new ArrayList<>();
  private final int[] widths;

  public TextTable(String... titles) {
    widths = new int[titles.length];
    row(titles);
  }

  public void row(String... cells) {
    lines.add(List.of(cells));
    for (int i = 0; i < cells.length; i++) {
      widths[i] = Math.max(widths[i], cells[i].length());
    }
  }

  public void note(String text) {
    lines.add(List.of("  " + text));
  }

  public void print(PrintStream out) {
    for (List<String> line : lines) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < line.size(); i++) {
        text.append(line.get(i));
        if (i + 1 < line.size()) {
          text.append(" ".repeat(widths[i] - line.get(i).length() + 2));
        }
      }
      out.println(text);
    }
  }
}
