package io.millrace.control.driver;

import io.millrace.core.id.WorkerId;

/**
 * Where workers come from. A plug point and a simulation seam. Called from the mailbox of the
 * leading ResourceManager only, and never blocks it.
 */
public interface WorkerDriver {
  /** Begins to serve a ResourceManager. Throwing ends that one's term. */
  void start() throws Exception;

  /** Whether a worker of this name belongs to the cluster; others are turned away for good. */
  boolean recognises(WorkerId worker);

  /** What a person can do when slots are missing, as a sentence. */
  String advice();

  /** Serves no longer; a later term may start again. */
  void stop();
}
