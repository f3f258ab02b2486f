package io.millrace.worker.task;

import io.millrace.core.classes.ProgramClassLoader;
import io.millrace.core.id.JobId;
import java.net.URL;
import java.util.List;

/**
 * Creates the class loaders of jobs. A simulation seam. A loader that is {@link AutoCloseable} is
 * closed when its job is removed.
 */
@FunctionalInterface
public interface UserClassLoaders {
  /** Called outside of the mailbox, because it may open files. */
  ClassLoader load(JobId job, List<URL> jars);

  /** Each job has its own class loader for its jars. */
  static UserClassLoaders childFirst(ClassLoader parent, List<String> parentFirst) {
    return (job, jars) -> new ProgramClassLoader("job-" + job, jars, parent, parentFirst);
  }

  /** All jobs load their classes from one existing class loader, which outlives them. */
  static UserClassLoaders shared(ClassLoader loader) {
    return (job, jars) -> new SharedClassLoader(loader);
  }
}
