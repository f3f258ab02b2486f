package io.millrace.worker.task;

import io.millrace.core.classes.ProgramClassLoader;
import io.millrace.core.id.JobId;
import java.net.URL;
import java.util.List;

/**
 * Makes the class loader of a job. A simulation seam; a loader that is {@link AutoCloseable} and
 * was made for the job is closed when the job is gone.
 */
@FunctionalInterface
public interface UserClassLoaders {
  /** Called off the mailbox, since it may open files. */
  ClassLoader load(JobId job, List<URL> jars);

  /** Each job has a loader of its own over its jars. */
  static UserClassLoaders childFirst(ClassLoader parent, List<String> parentFirst) {
    return (job, jars) -> new ProgramClassLoader("job-" + job, jars, parent, parentFirst);
  }

  /** All jobs find their classes in a loader that is there already and outlives them. */
  static UserClassLoaders shared(ClassLoader loader) {
    return (job, jars) -> new SharedClassLoader(loader);
  }
}
