package io.millrace.cli.deployment;

import io.millrace.cluster.process.OsProcess;
import java.util.Objects;
import java.util.Optional;

/**
 * A process of a cluster on this machine.
 *
 * @param name {@code jobmanager}, {@code jobmanager-N} from the second on, {@code taskmanager-N},
 *     or the name from a driver
 * @param startedAt distinguishes it from a later process with the same pid; milliseconds since the
 *     epoch, 0 if unknown
 */
public record ClusterProcess(String name, long pid, long startedAt) {
  public static final String JOB_MANAGER = "jobmanager";
  private static final String STANDBY = JOB_MANAGER + "-";

  /** The prefix of the names of TaskManagers that commands start. */
  public static final String TASK_MANAGER = "taskmanager-";

  private static final long NO_PID = -1;

  public ClusterProcess {
    Objects.requireNonNull(name);
  }

  /**
   * @param number from 1 on
   */
  public static String jobManager(int number) {
    return number == 1 ? JOB_MANAGER : STANDBY + number;
  }

  public static String taskManager(int number) {
    return TASK_MANAGER + number;
  }

  public static ClusterProcess of(String name, ProcessHandle handle) {
    return of(name, OsProcess.of(handle));
  }

  public static ClusterProcess of(String name, OsProcess process) {
    return new ClusterProcess(name, process.pid(), process.startedAt());
  }

  /** A process whose pid is lost and which was not found among the running processes. */
  public static ClusterProcess lost(String name) {
    return new ClusterProcess(name, NO_PID, 0);
  }

  /** The pid as text, or {@code unknown}. */
  public String shownPid() {
    return pid == NO_PID ? "unknown" : String.valueOf(pid);
  }

  public String toLine() {
    return identity().toLine();
  }

  public boolean isJobManager() {
    return name.equals(JOB_MANAGER) || name.startsWith(STANDBY);
  }

  /** Whether it is an elastic worker, which may end at any time. */
  public boolean isElastic() {
    return !isJobManager() && !name.startsWith(TASK_MANAGER);
  }

  /** N of {@code taskmanager-N}; 0 for all others. */
  public int number() {
    String number = name.startsWith(TASK_MANAGER) ? name.substring(TASK_MANAGER.length()) : "";
    return number.matches("\\d{1,9}") ? Integer.parseInt(number) : 0;
  }

  public boolean isAlive() {
    return handle().isPresent();
  }

  public Optional<ProcessHandle> handle() {
    return pid == NO_PID ? Optional.empty() : identity().handle();
  }

  private OsProcess identity() {
    return new OsProcess(pid, startedAt);
  }
}
