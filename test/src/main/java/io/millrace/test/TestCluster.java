package io.millrace.test;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobStatus;
import io.millrace.api.execution.ProgramContext;
import io.millrace.client.ClusterJobExecutor;
import io.millrace.client.JobListener;
import io.millrace.client.RecordDecoder;
import io.millrace.cluster.EmbeddedCluster;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.JobManagerOptions;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.error.MillraceException;
import io.millrace.core.id.ExecutionId;
import io.millrace.core.id.Id128;
import io.millrace.core.id.WorkerId;
import io.millrace.graph.JobVertex;
import io.millrace.protocol.CheckpointOperation;
import io.millrace.protocol.CheckpointRecord;
import io.millrace.protocol.CheckpointStatistics;
import io.millrace.protocol.DispatcherGateway.StartJobCheckpoint;
import io.millrace.protocol.DispatcherGateway.StartOutcome;
import io.millrace.protocol.JobDetails;
import io.millrace.protocol.JobDetails.SubtaskDetails;
import io.millrace.protocol.JobDetails.VertexDetails;
import io.millrace.protocol.JobOverview;
import io.millrace.task.TaskState;
import io.millrace.task.checkpoint.CheckpointRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * A cluster inside the process of a test, with TaskManagers that exchange records over the network
 * and that the test can kill. It is an extension of JUnit Jupiter. In a static field it runs for
 * all tests of the class, in another field for one test, and {@code @ExtendWith(TestCluster.class)}
 * gives tests a parameter. After each test its jobs are cancelled and killed TaskManagers are
 * replaced.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final TestCluster CLUSTER =
 *     TestCluster.of(2, 2).configure("execution.checkpointing.interval", "50 ms");
 *
 * @Test
 * void survivesTheLossOfATaskManager() {
 *   StreamEnvironment env = CLUSTER.environment();
 *   env.generate(index -> index).keyBy(index -> index % 10).count().sinkTo(new DiscardSink<>());
 *   JobClient job = env.executeAsync("counters");
 *   CLUSTER.checkpoint(job);
 *   CLUSTER.killTaskManager(job);
 *   CLUSTER.startTaskManager();
 *   CLUSTER.awaitRunning(job);
 *   assertTrue(CLUSTER.restoredCheckpoint(job).isPresent());
 * }
 * }</pre>
 */
public final class TestCluster
    implements BeforeAllCallback,
        AfterAllCallback,
        BeforeEachCallback,
        AfterEachCallback,
        ParameterResolver {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final long PAUSE_NANOS = Duration.ofMillis(5).toNanos();

  private final int taskManagers;
  private final int slots;

  /** Shorter delays than those of a cluster of machines. */
  private Configuration configuration =
      Configuration.EMPTY
          .with(RestartStrategyOptions.EXPONENTIAL_INITIAL_BACKOFF, Duration.ofMillis(20))
          .with(RestartStrategyOptions.EXPONENTIAL_MAX_BACKOFF, Duration.ofMillis(200))
          .with(RestartStrategyOptions.FIXED_DELAY, Duration.ofMillis(20))
          .with(RestartStrategyOptions.FAILURE_RATE_DELAY, Duration.ofMillis(20))
          .with(JobManagerOptions.SLOT_REQUEST_TIMEOUT, PATIENCE);

  private Duration patience = PATIENCE;
  private Optional<EmbeddedCluster> running = Optional.empty();

  /** The class for whose tests the cluster runs; empty if it runs for one test. */
  private Optional<String> owner = Optional.empty();

  /** Two TaskManagers with two slots each. */
  public TestCluster() {
    this(2, 2);
  }

  private TestCluster(int taskManagers, int slots) {
    if (taskManagers < 1 || slots < 1) {
      throw new IllegalArgumentException(
          "A cluster has 1 TaskManager and 1 slot or more, not "
              + taskManagers
              + " TaskManagers with "
              + slots
              + " slots");
    }
    this.taskManagers = taskManagers;
    this.slots = slots;
  }

  /**
   * A cluster that starts before the tests.
   *
   * @param slots of each TaskManager
   */
  public static TestCluster of(int taskManagers, int slots) {
    return new TestCluster(taskManagers, slots);
  }

  /** Sets an option of the cluster and of its jobs; called before it starts. */
  public TestCluster configure(String key, String value) {
    if (running.isPresent()) {
      throw new IllegalStateException(
          "The cluster has started. Set options before, or those of a job in its environment.");
    }
    configuration = configuration.with(key, value);
    return this;
  }

  /** How long methods that wait do so before they fail the test; a minute by default. */
  public TestCluster patience(Duration longest) {
    patience = longest;
    return this;
  }

  // --- programs

  /** A new environment whose jobs run on this cluster, on all its slots. */
  public StreamEnvironment environment() {
    return StreamEnvironment.of(context());
  }

  /** A part of a program, such as its {@code main}. */
  @FunctionalInterface
  public interface Main {
    void run() throws Exception;
  }

  /** Runs a program that finds its environment itself, by {@link StreamEnvironment#current()}. */
  public void run(Main main) throws Exception {
    context()
        .during(
            () -> {
              main.run();
              return null;
            });
  }

  private ProgramContext context() {
    Configuration defaults =
        Configuration.EMPTY.with(CoreOptions.DEFAULT_PARALLELISM, taskManagers * slots);
    return new ProgramContext(
        new ClusterJobExecutor(
            cluster(), new ArrayList<>(), RecordDecoder::onClassPath, JobListener.NONE),
        defaults.overriddenBy(configuration));
  }

  // --- waiting

  /** Waits until a condition holds; fails the test otherwise. */
  public void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("Waited " + patience + " for: " + what + "." + state());
      }
      if (Thread.interrupted()) {
        Thread.currentThread().interrupt();
        throw new AssertionError("Interrupted while waiting for: " + what + "." + state());
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private String state() {
    StringBuilder text = new StringBuilder(" TaskManagers: ").append(taskManagers());
    for (JobOverview job : cluster().jobs()) {
      text.append("\n  job '").append(job.name()).append("' ").append(job.status());
      cluster()
          .describe(job.id())
          .ifPresent(
              details ->
                  details.failures().stream()
                      .findFirst()
                      .ifPresent(
                          last ->
                              text.append("; last failure: ").append(last.failure().message())));
    }
    return text.toString();
  }

  /** Waits until all tasks of a job run, or have finished; fails if the job ends otherwise. */
  public void awaitRunning(JobClient job) {
    await("all tasks of job " + job.id() + " run", () -> isRunning(job));
  }

  private boolean isRunning(JobClient job) {
    JobDetails details = details(job);
    if (details.status() == JobStatus.FAILED || details.status() == JobStatus.CANCELED) {
      throw new AssertionError("Job " + job.id() + " is " + details.status() + "." + state());
    }
    // Before its JobMaster runs, a job has no tasks.
    return (details.status() == JobStatus.RUNNING || details.status() == JobStatus.FINISHED)
        && details.vertices().stream()
            .flatMap(vertex -> vertex.subtasks().stream())
            .allMatch(
                task -> task.state() == TaskState.RUNNING || task.state() == TaskState.FINISHED);
  }

  private JobDetails details(JobClient job) {
    return cluster()
        .describe(job.id())
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER, "This cluster does not know job " + job.id() + "."));
  }

  // --- checkpoints

  /** Takes a checkpoint, from which the job restarts after the next failure; returns its number. */
  public long checkpoint(JobClient job) {
    awaitRunning(job);
    long before = started(job);
    CheckpointOperation operation = take(job, CheckpointRequest.Type.CHECKPOINT, Optional.empty());
    if (operation.failure().isPresent()) {
      // A periodic checkpoint that began after the call may have completed first.
      long latest = statistics(job).latestCompleted().map(CheckpointRecord::number).orElse(0L);
      if (latest > before) {
        return latest;
      }
      throw operation.failure().get().toException();
    }
    return operation.completed().orElseThrow().number();
  }

  /** The number of the last checkpoint that has begun. */
  private long started(JobClient job) {
    return statistics(job).history().stream().mapToLong(CheckpointRecord::number).max().orElse(0);
  }

  /**
   * Takes a savepoint below a directory and returns its path, with which another job can start:
   * {@code env.configure("execution.state-recovery.path", path)}.
   */
  public String savepoint(JobClient job, Path directory) {
    awaitRunning(job);
    CheckpointOperation operation =
        take(
            job,
            CheckpointRequest.Type.SAVEPOINT,
            Optional.of(directory.toAbsolutePath().toString()));
    if (operation.failure().isPresent()) {
      throw operation.failure().get().toException();
    }
    return operation.completed().orElseThrow().directory();
  }

  /** Takes a checkpoint or a savepoint, and waits until it is stored or has failed. */
  private CheckpointOperation take(
      JobClient job, CheckpointRequest.Type type, Optional<String> directory) {
    Id128 id = Id128.random(ThreadLocalRandom.current());
    StartOutcome outcome =
        cluster().startCheckpoint(new StartJobCheckpoint(job.id(), id, type, directory));
    if (outcome != StartOutcome.ACCEPTED) {
      throw new MillraceException(
          ErrorKind.USER, "No checkpoint of job " + job.id() + " can be taken: " + outcome + ".");
    }
    await(
        "a checkpoint of job " + job.id(),
        () -> statistics(job).operation(id).map(CheckpointOperation::isDone).orElse(false));
    return statistics(job).operation(id).orElseThrow();
  }

  private CheckpointStatistics statistics(JobClient job) {
    return cluster().checkpoints(job.id()).orElse(CheckpointStatistics.NONE);
  }

  /** The checkpoint with which tasks of the job have started last; empty if with none. */
  public OptionalLong restoredCheckpoint(JobClient job) {
    return statistics(job)
        .restored()
        .map(restored -> OptionalLong.of(restored.checkpoint()))
        .orElse(OptionalLong.empty());
  }

  /** How often the job has restarted. */
  public int restarts(JobClient job) {
    return details(job).restarts();
  }

  // --- faults

  /** The names of the TaskManagers that run. */
  public List<String> taskManagers() {
    return cluster().taskManagers().stream().map(WorkerId::value).toList();
  }

  /** Starts another TaskManager and returns its name. */
  public String startTaskManager() {
    return cluster().startTaskManager().value();
  }

  /**
   * Kills a TaskManager, as if its process had ended, and waits until the tasks there are lost.
   * Nothing replaces it before {@link #startTaskManager} or the end of the test.
   */
  public void killTaskManager(String name) {
    cluster().killTaskManager(new WorkerId(name));
    for (JobOverview job : cluster().jobs()) {
      await(
          "the loss of tasks on " + name,
          () ->
              cluster()
                  .describe(job.id())
                  .map(details -> running(details, worker -> worker.equals(name)).isEmpty())
                  .orElse(true));
    }
  }

  /** Kills a TaskManager that runs tasks of a job, and returns its name. */
  public String killTaskManager(JobClient job) {
    awaitRunning(job);
    String name =
        running(details(job), worker -> true).stream()
            .flatMap(task -> task.worker().stream())
            .map(WorkerId::value)
            .findFirst()
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorKind.USER, "No task of job " + job.id() + " runs any more."));
    killTaskManager(name);
    return name;
  }

  private static List<SubtaskDetails> running(JobDetails details, Predicate<String> worker) {
    return details.vertices().stream()
        .flatMap(vertex -> vertex.subtasks().stream())
        .filter(task -> task.state() == TaskState.RUNNING)
        .filter(task -> task.worker().map(WorkerId::value).filter(worker).isPresent())
        .toList();
  }

  /**
   * Fails a subtask of an operator, as if its function had thrown, and waits until the job knows.
   *
   * @param operator the name of the operator, or a part of it
   * @param subtask its index, from 0
   */
  public void failTask(JobClient job, String operator, int subtask) {
    awaitRunning(job);
    JobDetails details = details(job);
    JobVertex vertex =
        details.graph().vertices().stream()
            .filter(each -> each.name().contains(operator))
            .findFirst()
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorKind.USER,
                        "Job "
                            + job.id()
                            + " has no task with '"
                            + operator
                            + "' in its name; it has "
                            + details.graph().vertices().stream().map(JobVertex::name).toList()
                            + "."));
    VertexDetails tasks =
        details.vertices().stream()
            .filter(each -> each.id().equals(vertex.id()))
            .findFirst()
            .orElseThrow();
    fail(job, tasks.subtasks().get(subtask).execution());
  }

  private void fail(JobClient job, ExecutionId execution) {
    cluster()
        .failTask(
            execution,
            new Failure(
                ErrorKind.USER, TestCluster.class.getName(), "The test has failed this task", ""));
    await(
        "the failure of task " + execution,
        () ->
            running(details(job), worker -> true).stream()
                .noneMatch(task -> task.execution().equals(execution)));
  }

  /**
   * Takes a checkpoint, fails a task, and waits until the job runs again with that checkpoint or a
   * later one. The restart strategy of the job has to allow it.
   */
  public void restartFromCheckpoint(JobClient job) {
    long taken = checkpoint(job);
    running(details(job), worker -> true).stream()
        .findFirst()
        .ifPresent(task -> fail(job, task.execution()));
    awaitRunning(job);
    OptionalLong restored = restoredCheckpoint(job);
    if (restored.isEmpty() || restored.getAsLong() < taken) {
      throw new AssertionError(
          "Job " + job.id() + " runs with checkpoint " + restored + ", not with " + taken + ".");
    }
  }

  // --- life cycle

  private EmbeddedCluster cluster() {
    return running.orElseThrow(
        () ->
            new IllegalStateException(
                "The cluster does not run. Annotate its field with @RegisterExtension."));
  }

  private void start() {
    running = Optional.of(EmbeddedCluster.withTaskManagers(configuration, taskManagers, slots));
  }

  private void stop() {
    running.ifPresent(EmbeddedCluster::close);
    running = Optional.empty();
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    // The extension is called for nested classes, too.
    if (running.isEmpty()) {
      owner = Optional.of(context.getUniqueId());
      start();
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    if (running.isEmpty()) {
      start();
    }
  }

  /** Cancels the jobs of the test and replaces TaskManagers. */
  @Override
  public void afterEach(ExtensionContext context) {
    if (owner.isEmpty()) {
      stop();
      return;
    }
    cluster().jobs().stream()
        .filter(job -> !job.status().isTerminal())
        .forEach(job -> cluster().cancel(job.id()));
    await(
        "the end of the test's jobs",
        () -> cluster().jobs().stream().allMatch(job -> job.status().isTerminal()));
    while (taskManagers().size() < taskManagers) {
      startTaskManager();
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (owner.filter(context.getUniqueId()::equals).isPresent()) {
      owner = Optional.empty();
      stop();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == TestCluster.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return this;
  }
}
