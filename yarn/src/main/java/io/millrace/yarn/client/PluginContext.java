package io.millrace.yarn.client;

import java.util.function.Supplier;

/**
 * Calls Hadoop's client with the class loader that has it: threads of a program come with the
 * program's, where Hadoop would look for its parts in vain.
 */
final class PluginContext {
  private PluginContext() {}

  static <T> T call(Supplier<T> action) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(PluginContext.class.getClassLoader());
    try {
      return action.get();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  static void run(Runnable action) {
    call(
        () -> {
          action.run();
          return true;
        });
  }
}
