package io.millrace.control.driver;

import io.millrace.core.id.WorkerId;

/** Workers are started by somebody else: it recognises every one of them and can start none. */
public final class StandaloneDriver implements WorkerDriver {
  @Override
  public void start() {}

  @Override
  public boolean recognises(WorkerId worker) {
    return true;
  }

  @Override
  public String advice() {
    return "Start more TaskManagers or lower the parallelism.";
  }

  @Override
  public void stop() {}
}
