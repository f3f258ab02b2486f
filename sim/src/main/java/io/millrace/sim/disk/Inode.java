package io.millrace.sim.disk;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A file or a directory, as processes see it and as a loss of power would leave it. */
final class Inode {
  final boolean isDirectory;

  /** What processes see of a directory. */
  TreeMap<String, Inode> entries = new TreeMap<>();

  /** What processes see of a file. */
  byte[] content = new byte[0];

  /** Who holds the lock on a file. */
  Optional<Mount> lock = Optional.empty();

  private TreeMap<String, Inode> forcedEntries = new TreeMap<>();
  private byte[] forcedContent = new byte[0];
  private final List<Consumer<Map<String, Inode>>> unforced = new ArrayList<>();

  Inode(boolean isDirectory) {
    this.isDirectory = isDirectory;
  }

  /** Changes the names in a directory; that is lost with the power unless it is forced. */
  void change(Consumer<Map<String, Inode>> change) {
    change.accept(entries);
    unforced.add(change);
  }

  /** What is seen is on the disk. */
  void force() {
    forcedEntries = new TreeMap<>(entries);
    unforced.clear();
    forcedContent = content;
  }

  /**
   * The power is lost. Of the changes of a directory that were not forced the first ones may have
   * come to the disk, in their order; of the content of a file nothing, a part, or its length with
   * zeros in it.
   *
   * @return whether anything was lost
   */
  boolean losePower(Random random) {
    lock = Optional.empty();
    boolean lost = false;
    if (isDirectory) {
      int kept = random.nextInt(unforced.size() + 1);
      lost = kept < unforced.size();
      TreeMap<String, Inode> left = new TreeMap<>(forcedEntries);
      unforced.subList(0, kept).forEach(change -> change.accept(left));
      entries = left;
      for (Inode child : entries.values()) {
        lost |= child.losePower(random);
      }
    } else if (content != forcedContent) {
      lost = true;
      content =
          switch (random.nextInt(3)) {
            case 0 -> forcedContent;
            case 1 -> Arrays.copyOf(content, random.nextInt(content.length + 1));
            default -> new byte[content.length];
          };
    }
    force();
    return lost;
  }
}
