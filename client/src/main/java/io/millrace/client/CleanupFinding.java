package io.millrace.client;

import java.util.Objects;

/**
 * Something that a cluster has left, or that looks like it.
 *
 * @param kind what it is, in one or two words: "cluster", "checkpoints"
 * @param item its path or id
 * @param reason why it is removed or kept
 */
public record CleanupFinding(Verdict verdict, String kind, String item, String reason) {
  /** What happens to it. */
  public enum Verdict {
    /** It is removed; in a dry run it would be. */
    REMOVED,
    /** A cluster uses it, or may use it. */
    KEPT,
    /** It should be removed, but could not. */
    FAILED
  }

  public CleanupFinding {
    Objects.requireNonNull(verdict);
    Objects.requireNonNull(kind);
    Objects.requireNonNull(item);
    Objects.requireNonNull(reason);
  }

  public static CleanupFinding kept(String kind, String item, String reason) {
    return new CleanupFinding(Verdict.KEPT, kind, item, reason);
  }
}
