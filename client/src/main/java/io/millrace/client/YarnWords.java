package io.millrace.client;

import java.util.Objects;
import java.util.Optional;

/**
 * What a user said about YARN in the style of older scripts. Sizes, queues and the like are in the
 * configuration by now.
 *
 * @param cluster {@code -m yarn-cluster}
 * @param application {@code -yid}
 * @param other whether any other of the options was given that begin with y
 * @param session the one that a file of the user names
 */
public record YarnWords(
    boolean cluster, Optional<String> application, boolean other, Optional<String> session) {
  /** In place of an address, asks for a cluster on YARN. */
  public static final String CLUSTER = "yarn-cluster";

  public static final YarnWords NONE =
      new YarnWords(false, Optional.empty(), false, Optional.empty());

  public YarnWords {
    Objects.requireNonNull(application);
    Objects.requireNonNull(session);
  }

  /** Whether there are any on the command line. */
  boolean areSaid() {
    return cluster || application.isPresent() || other;
  }
}
