package io.millrace.core.security;

import java.util.concurrent.Callable;

/** Acts as the user that started the process. */
record ProcessUserContext(String description) implements SecurityContext {
  @Override
  public <T> T call(Callable<T> action) throws Exception {
    return action.call();
  }

  @Override
  public void close() {}
}
