package io.millrace.graph;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Renders a chain as text. */
final class ChainDescription {
  private ChainDescription() {}

  /** {@code a -> b}; with several consumers {@code a -> (b, c -> d)}. */
  static String name(List<ChainedOperator> chain) {
    return name(chain, 0);
  }

  private static String name(List<ChainedOperator> chain, int operator) {
    String own = chain.get(operator).name();
    List<Integer> readers = readersOf(chain, operator);
    if (readers.isEmpty()) {
      return own;
    }
    String rest =
        readers.stream().map(reader -> name(chain, reader)).collect(Collectors.joining(", "));
    return own + " -> " + (readers.size() == 1 ? rest : "(" + rest + ")");
  }

  /** A tree with one line per operator and HTML line breaks, as REST clients expect it. */
  static String tree(List<ChainedOperator> chain) {
    StringBuilder text = new StringBuilder();
    tree(chain, 0, "", "", text);
    return text.toString();
  }

  private static void tree(
      List<ChainedOperator> chain,
      int operator,
      String ownIndent,
      String indent,
      StringBuilder text) {
    text.append(ownIndent).append(escaped(chain.get(operator).description())).append("<br/>");
    List<Integer> readers = readersOf(chain, operator);
    for (int i = 0; i < readers.size(); i++) {
      boolean last = i == readers.size() - 1;
      tree(
          chain,
          readers.get(i),
          indent + (last ? "+- " : ":- "),
          indent + (last ? "   " : ":  "),
          text);
    }
  }

  /** Escapes markup, because clients show the tree as HTML. */
  private static String escaped(String name) {
    return name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static List<Integer> readersOf(List<ChainedOperator> chain, int operator) {
    return IntStream.range(operator + 1, chain.size())
        .filter(i -> chain.get(i).input() == operator)
        .boxed()
        .toList();
  }
}
