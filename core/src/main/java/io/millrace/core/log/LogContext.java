package io.millrace.core.log;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.MDC;

/**
 * The ids that each log line of a thread carries, as keys of the MDC: {@link #JOB} and {@link
 * #TASK}. The worker of a process is the same for all its threads, so that it is set once.
 */
public final class LogContext {
  public static final String WORKER = "worker";
  public static final String JOB = "job";
  public static final String TASK = "task";

  /** Of threads that work for no job in particular. */
  public static final LogContext NONE = new LogContext(new LinkedHashMap<>());

  private static volatile String worker = "";

  private final Map<String, String> ids;
  private final String task;

  private LogContext(Map<String, String> ids) {
    this.ids = Collections.unmodifiableMap(ids);
    this.task = ids.get(TASK);
  }

  /** The worker of this process, which all lines name from now on; empty for none. */
  public static void setWorker(String id) {
    worker = id;
  }

  /** The worker of this process; empty if it is none. */
  public static String worker() {
    return worker;
  }

  public static LogContext ofJob(Object job) {
    Map<String, String> ids = new LinkedHashMap<>();
    ids.put(JOB, job.toString());
    return new LogContext(ids);
  }

  /**
   * @param task names the subtask and its attempt
   */
  public static LogContext ofTask(Object job, String task) {
    Map<String, String> ids = new LinkedHashMap<>();
    ids.put(JOB, job.toString());
    ids.put(TASK, task);
    return new LogContext(ids);
  }

  /**
   * Lines of this thread carry these ids from now on, and what the former owner of the thread has
   * put into the MDC is forgotten. Cheap if the thread has this context already.
   */
  @SuppressWarnings({"StringEquality", "ReferenceEquality"})
  public void enter() {
    // The same object means the same task: each has a text of its own.
    if (task == null ? !ids.isEmpty() : MDC.get(TASK) != task) {
      MDC.setContextMap(ids);
    }
  }

  /** Ends {@link #enter}: the lines of this thread carry no ids. */
  public void leave() {
    if (!ids.isEmpty()) {
      MDC.clear();
    }
  }

  @Override
  public String toString() {
    return ids.toString();
  }
}
