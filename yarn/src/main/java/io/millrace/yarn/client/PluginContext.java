package io.millrace.yarn.client;

import java.util.function.Supplier;

/**
 * Calls Hadoop's client with the class loader of the plugin as context. Threads of a program have
 * the class loader of the program, in which Hadoop would not find its classes.
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
