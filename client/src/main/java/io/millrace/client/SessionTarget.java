package io.millrace.client;

import io.millrace.core.config.Configuration;
import java.util.List;

/**
 * A target on which session clusters can be started, found by {@link java.util.ServiceLoader}. A
 * provider has a public constructor without arguments that starts nothing.
 */
public interface SessionTarget {
  /** The name of the target that submits jobs to such a session. */
  String name();

  /** Starts a session; returns when it accepts jobs. */
  Session start(Configuration configuration, Progress progress);

  /** The configuration that selects the session with this id; refuses a malformed id. */
  Configuration naming(Configuration configuration, String id);

  /** The running session that the configuration selects. */
  Session find(Configuration configuration);

  /**
   * The running sessions, the newest first.
   *
   * @param allUsers whether those of other users are listed, too
   */
  List<Session> list(Configuration configuration, boolean allUsers);
}
