package io.millrace.sim;

import io.millrace.core.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;

/** What happened, event by event: the last lines for people, a digest of all for machines. */
public final class Trace {
  private static final int KEPT = 400;

  private final MessageDigest digest;
  private final Deque<String> last = new ArrayDeque<>();

  Trace(long seed) {
    digest = Sha256.begin();
    event(0, "seed " + seed);
  }

  void event(long nanos, String what) {
    String line = nanos + " " + what;
    digest.update(line.getBytes(StandardCharsets.UTF_8));
    digest.update((byte) '\n');
    last.addLast(line);
    if (last.size() > KEPT) {
      last.removeFirst();
    }
  }

  /** The newest lines, oldest first. */
  public List<String> lastLines() {
    return List.copyOf(last);
  }

  /** A hash over every line so far. */
  public String digest() {
    try {
      return HexFormat.of().formatHex(((MessageDigest) digest.clone()).digest());
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("The JDK's SHA-256 can be cloned", e);
    }
  }
}
