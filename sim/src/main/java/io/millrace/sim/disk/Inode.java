package io.millrace.sim.disk;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A file or a directory, as seen by processes and as it would be after a power loss. */
final class Inode {
  final boolean isDirectory;

  /** The entries of a directory, as seen by processes. */
  TreeMap<String, Inode> entries = new TreeMap<>();

  /** The content of a file, as seen by processes. */
  byte[] content = new byte[0];

  /** The mount that holds the lock of the file. */
  Optional<Mount> lock = Optional.empty();

  private TreeMap<String, Inode> forcedEntries = new TreeMap<>();
  private byte[] forcedContent = new byte[0];
  private final List<Consumer<Map<String, Inode>>> unforced = new ArrayList<>();

  Inode(boolean isDirectory) {
    this.isDirectory = isDirectory;
  }

  /** Changes the entries of a directory. The change is lost with the power unless it is forced. */
  void change(Consumer<Map<String, Inode>> change) {
    change.accept(entries);
    unforced.add(change);
  }

  /** Makes the current content durable. */
  void force() {
    forcedEntries = new TreeMap<>(entries);
    unforced.clear();
    forcedContent = content;
  }

  /**
   * Loses power. A prefix of the unforced changes of a directory may be on the disk; of the
   * unforced content of a file nothing, a part, or zeros of its length.
   *
   * @return whether anything was lost
   */
  boolean losePower(Random random) {
    lock = Optional.empty();
    boolean lost = false;
    if (isDirectory) {
      int written = random.nextInt(unforced.size() + 1);
      lost = written < unforced.size();
      TreeMap<String, Inode> left = new TreeMap<>(forcedEntries);
      unforced.subList(0, written).forEach(change -> change.accept(left));
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
