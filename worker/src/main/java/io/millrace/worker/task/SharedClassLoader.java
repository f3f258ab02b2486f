package io.millrace.worker.task;

/** A job's own name for a loader that is not its own, and that it must not close. */
final class SharedClassLoader extends ClassLoader {
  SharedClassLoader(ClassLoader loader) {
    super(loader);
  }
}
