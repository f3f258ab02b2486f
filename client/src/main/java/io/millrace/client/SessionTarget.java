package io.millrace.client;

import io.millrace.core.config.Configuration;
import java.util.List;

/**
 * A place where clusters can be started that take jobs until they are stopped, found by {@link
 * java.util.ServiceLoader}. A provider has a public constructor without arguments that starts
 * nothing.
 */
public interface SessionTarget {
  /** The target that takes jobs to such a cluster. */
  String name();

  /** Starts one; returns when it takes jobs. */
  Session start(Configuration configuration, Progress progress);

  /** The configuration that means the session of this id; refuses what cannot be an id. */
  Configuration naming(Configuration configuration, String id);

  /** The one that the configuration means, which runs. */
  Session find(Configuration configuration);

  /** Those that run, the newest first. */
  List<Session> list(Configuration configuration);
}
