package io.millrace.ha.zookeeper.nodes;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A contender, as its node is named. The one with the lowest number leads; a name without a number
 * that ZooKeeper could have appended comes last.
 *
 * @param node the name of the node: process, attempt, address and number
 * @param process an id that each start of a process draws; empty if this version did not create the
 *     node
 * @param address where the process listens; empty if this version did not create the node
 */
record Contender(String node, Optional<String> process, Optional<String> address, long number) {
  private static final Pattern NAME = Pattern.compile("([0-9a-f]{32})\\.\\d+_(.*)_(-?\\d{10,18})");

  /** A dash after an underscore or another dash is a sign; after anything else it separates. */
  private static final Pattern NUMBER =
      Pattern.compile("(?:.*[^_-]-|.*_|.*[^0-9_-]|)(-?\\d{10,18})");

  private static final Comparator<Contender> ORDER =
      Comparator.comparingLong(Contender::number).thenComparing(Contender::node);

  Contender {
    Objects.requireNonNull(node);
    Objects.requireNonNull(process);
    Objects.requireNonNull(address);
  }

  /** The name for a node, without the number. */
  static String name(String process, int attempt, String address) {
    return process + "." + attempt + "_" + address.replace('/', ' ') + "_";
  }

  /** In the order in which they lead. */
  static List<Contender> of(List<String> nodes) {
    return nodes.stream().map(Contender::of).sorted(ORDER).toList();
  }

  private static Contender of(String node) {
    Matcher known = NAME.matcher(node);
    if (known.matches()) {
      return new Contender(
          node,
          Optional.of(known.group(1)),
          Optional.of(known.group(2)),
          Long.parseLong(known.group(3)));
    }
    Matcher other = NUMBER.matcher(node);
    return new Contender(
        node,
        Optional.empty(),
        Optional.empty(),
        other.matches() ? Long.parseLong(other.group(1)) : Long.MAX_VALUE);
  }
}
