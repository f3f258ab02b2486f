package io.millrace.worker.task;

/** A class loader per job that delegates to a shared loader, which the job must not close. */
final class SharedClassLoader extends ClassLoader {
  SharedClassLoader(ClassLoader loader) {
    super(loader);
  }
}
