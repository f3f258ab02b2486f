package io.millrace.core.config;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Every option of the engine, in the order of the reference page. */
public final class Options {
  // --- where a job runs
  public static final Option<String> TARGET =
      Option.text("execution.target", "local", "Where `run` takes a job: local or remote.")
          .perCommand();
  public static final Option<Boolean> ATTACHED =
      Option.flag("execution.attached", true, "Whether `run` waits for the job to end.")
          .perCommand();
  public static final Option<Boolean> SHUTDOWN_ON_EXIT =
      Option.flag(
              "execution.shutdown-on-attached-exit",
              false,
              "Whether a job that `run` waits for ends with it: at once on Ctrl-C, and after"
                  + " client.heartbeat.timeout where the client or its machine dies.")
          .perCommand();
  public static final Option<Integer> PARALLELISM =
      Option.integer(
              "parallelism.default", 1, "Parallelism of operators for which the program sets none.")
          .between(1, 32768)
          .perJob();
  public static final Option<RuntimeMode> RUNTIME_MODE =
      Option.choice(
              "execution.runtime-mode",
              RuntimeMode.class,
              RuntimeMode.STREAMING,
              "Whether keyed aggregations emit on every record (streaming) or once, at the end (batch).")
          .perJob();
  public static final Option<Boolean> CHAINING =
      Option.flag(
              "pipeline.operator-chaining.enabled",
              true,
              "Whether operators that can be chained run in one task.")
          .perJob();
  public static final Option<Integer> MAX_PARALLELISM =
      Option.integer(
              "pipeline.max-parallelism",
              -1,
              "Number of key groups, the limit of later rescaling; -1 derives it from the parallelism.")
          .between(1, 32768)
          .or(-1)
          .perJob();
  public static final Option<Boolean> BUFFER_TIMEOUT_ENABLED =
      Option.flag(
              "execution.buffer-timeout.enabled",
              true,
              "Whether batches of records leave a task before they are full. Without it throughput is"
                  + " highest, and a record may wait for ever if no other follows.")
          .perJob();
  public static final Option<Duration> BUFFER_TIMEOUT =
      Option.duration(
              "execution.buffer-timeout.interval",
              "Longest time a record waits in a batch that is not full; 0 sends every record by itself."
                  + " Where unset, batches are full when a task is busy and go at once when it is not.")
          .atLeast("0 ms")
          .perJob();
  public static final Option<Duration> AUTO_WATERMARK_INTERVAL =
      Option.duration(
              "pipeline.auto-watermark-interval",
              "200 ms",
              "How often watermark generators are asked how far event time is.")
          .atLeast("1 ms")
          .perJob();
  public static final Option<List<String>> PARENT_FIRST =
      Option.list(
              "classloader.parent-first-patterns.default",
              "java.;javax.;jdk.;sun.;io.millrace.;org.slf4j;ch.qos.logback",
              "Prefixes of classes a program never loads from its own jar.")
          .perCommand();
  public static final Option<List<String>> PARENT_FIRST_ADDITIONAL =
      Option.list(
              "classloader.parent-first-patterns.additional",
              "",
              "Further such prefixes. One that names a library of the engine makes it visible.")
          .perCommand();
  public static final Option<Integer> SERIALIZATION_CHECK_INTERVAL =
      Option.integer(
              "embedded.serialization-check.interval",
              1000,
              "Every how many records of an exchange between tasks an embedded cluster writes and"
                  + " reads one, as between processes: 1 for all of them, as in tests; 0 for none.")
          .atLeast(0)
          .perJob();

  public static final Option<List<String>> GLOBAL_JOB_PARAMETERS =
      Option.list(
              "pipeline.global-job-parameters",
              "",
              "Keys, or beginnings of keys, that belong to the program, separated by commas: it finds them"
                  + " in the configuration of its environment, and -D takes them. Flink's form key:value"
                  + " is accepted, too.")
          .perJob();
  public static final Option<String> GLOBAL_JOB_PARAMETER =
      Option.text("pipeline.global-job-parameters.<parameter>", "A parameter of the program.")
          .perJob();
  public static final Option<String> USER_PARAMETER =
      Option.text("user.<parameter>", "A key of the program's own, which nothing else reads.")
          .perJob();

  // --- addresses
  public static final Option<String> REST_ADDRESS =
      Option.text("rest.address", "127.0.0.1", "Host at which clients reach the JobManager's REST.")
          .perCommand();
  public static final Option<Integer> REST_PORT =
      Option.integer("rest.port", 8081, "Port of the JobManager's REST; 0 takes a free one.")
          .between(0, 65535)
          .perCommand();
  public static final Option<String> REST_BIND_ADDRESS =
      Option.text("rest.bind-address", "127.0.0.1", "Address the REST server binds to.");
  public static final Option<String> JOB_MANAGER_ADDRESS =
      Option.text(
          "jobmanager.rpc.address",
          "127.0.0.1",
          "Host at which TaskManagers reach the JobManager.");
  public static final Option<Integer> JOB_MANAGER_PORT =
      Option.integer("jobmanager.rpc.port", 6123, "RPC port of the JobManager; 0 takes a free one.")
          .between(0, 65535);
  public static final Option<String> JOB_MANAGER_BIND_HOST =
      Option.text(
          "jobmanager.bind-host", "127.0.0.1", "Address the JobManager binds its RPC port to.");
  public static final Option<String> TASK_MANAGER_HOST =
      Option.text("taskmanager.host", "127.0.0.1", "Host at which others reach this TaskManager.");
  public static final Option<String> TASK_MANAGER_BIND_HOST =
      Option.text(
          "taskmanager.bind-host", "127.0.0.1", "Address a TaskManager binds its ports to.");
  public static final Option<Integer> TASK_MANAGER_PORT =
      Option.integer("taskmanager.rpc.port", 0, "RPC port of a TaskManager; 0 takes a free one.")
          .between(0, 65535);
  public static final Option<Integer> TASK_MANAGER_DATA_PORT =
      Option.integer(
              "taskmanager.data.port",
              0,
              "Port for records between TaskManagers; 0 takes a free one.")
          .between(0, 65535);
  public static final Option<String> SECRET_FILE =
      Option.text(
          "security.cluster-secret.file",
          "File with the secret by which processes of this cluster know each other; only its owner may"
              + " read it.");

  // --- rpc
  public static final Option<Duration> ASK_TIMEOUT =
      Option.duration("rpc.ask-timeout", "10 s", "How long a call to another component may take.")
          .atLeast("1 ms");
  public static final Option<Duration> CLIENT_TIMEOUT =
      Option.duration("client.timeout", "60 s", "How long the client waits for the JobManager.")
          .atLeast("1 ms")
          .perCommand();
  public static final Option<Duration> CLIENT_HEARTBEAT_INTERVAL =
      Option.duration(
              "client.heartbeat.interval",
              "30 s",
              "How often a client whose jobs end with it (execution.shutdown-on-attached-exit) says that"
                  + " it lives.")
          .atLeast("1 ms")
          .perCommand();
  public static final Option<Duration> CLIENT_HEARTBEAT_TIMEOUT =
      Option.duration(
              "client.heartbeat.timeout",
              "180 s",
              "After which silence of such a client its jobs are cancelled.")
          .atLeast("1 ms")
          .perCommand();
  public static final Option<Duration> HEARTBEAT_INTERVAL =
      Option.duration("heartbeat.interval", "10 s", "How often components ask each other for life.")
          .atLeast("1 ms");
  public static final Option<Duration> HEARTBEAT_TIMEOUT =
      Option.duration(
              "heartbeat.timeout", "50 s", "Silence after which a component counts as dead.")
          .atLeast("1 ms");
  public static final Option<Duration> REGISTRATION_INITIAL_TIMEOUT =
      Option.duration(
              "cluster.registration.initial-timeout",
              "100 ms",
              "Time for the first attempt to register; doubles with each attempt.")
          .atLeast("1 ms");
  public static final Option<Duration> REGISTRATION_MAX_TIMEOUT =
      Option.duration(
              "cluster.registration.max-timeout",
              "30 s",
              "Longest time for an attempt to register.")
          .atLeast("1 ms");
  public static final Option<Duration> REGISTRATION_ERROR_DELAY =
      Option.duration(
              "cluster.registration.error-delay", "10 s", "Pause after an error while registering.")
          .atLeast("0 ms");
  public static final Option<Duration> REGISTRATION_REFUSED_DELAY =
      Option.duration(
              "cluster.registration.refused-registration-delay",
              "30 s",
              "Pause after a registration was refused.")
          .atLeast("0 ms");

  // --- resources
  public static final Option<Integer> SLOTS =
      Option.integer("taskmanager.numberOfTaskSlots", 1, "Slots a TaskManager offers.")
          .between(1, 32768);
  public static final Option<String> WORKER_ID =
      Option.text(
          "taskmanager.resource-id", "Name of a TaskManager; a random one is drawn where unset.");
  public static final Option<Duration> WORKER_REGISTRATION_TIMEOUT =
      Option.duration(
              "taskmanager.registration.timeout",
              "5 min",
              "Time without a ResourceManager after which a TaskManager ends.")
          .atLeast("1 ms");
  public static final Option<Duration> WORKER_SLOT_TIMEOUT =
      Option.duration(
              "taskmanager.slot.timeout",
              "10 s",
              "Time after which a slot that its job does not take is freed.")
          .atLeast("1 ms");
  public static final Option<Integer> WORKER_CORES =
      Option.integer(
              "taskmanager.cores", -1, "Core threads that run tasks; -1 takes one per processor.")
          .between(1, 4096)
          .or(-1);
  public static final Option<Double> CPU_CORES =
      Option.decimal(
              "taskmanager.cpu.cores",
              "Processor cores the slots of a TaskManager share on paper; as many as slots where unset.")
          .moreThan(0);
  public static final Option<Integer> WORKER_OWN_THREADS =
      Option.integer(
              "taskmanager.own-threads.max",
              256,
              "Tasks that may have a thread of their own at a time because they hold core threads for"
                  + " long; more of them share the core threads.")
          .between(0, 65536);
  public static final Option<Duration> TASK_CANCELLATION_INTERVAL =
      Option.duration(
              "task.cancellation.interval",
              "30 s",
              "Time between interrupts of a task that ignores its cancellation, after some quick ones in"
                  + " the first second. A job may set its own.")
          .atLeast("1 ms")
          .perJob();
  public static final Option<Duration> TASK_CANCELLATION_TIMEOUT =
      Option.duration(
              "task.cancellation.timeout",
              "180 s",
              "Time after which a task that ignores its cancellation ends the TaskManager; 0 never. A job"
                  + " may set its own.")
          .atLeast("0 ms")
          .perJob();
  public static final Option<Duration> SLOT_REQUEST_TIMEOUT =
      Option.duration(
              "slot.request.timeout",
              "5 min",
              "Time a job waits for missing slots before it fails; counted anew when slots come.")
          .atLeast("1 ms")
          .perJob();
  public static final Option<Duration> SLOT_IDLE_TIMEOUT =
      Option.duration(
              "slot.idle.timeout", "50 s", "Time after which a job returns a slot it does not use.")
          .atLeast("0 ms")
          .perJob();
  public static final Option<Duration> STANDALONE_START_UP_TIME =
      Option.duration(
              "resourcemanager.standalone.start-up-time",
              "0 ms",
              "Time after start in which a request no worker could ever fit is not yet refused; 0 takes"
                  + " slot.request.timeout.")
          .atLeast("0 ms");
  public static final Option<Duration> JOB_TIMEOUT =
      Option.duration(
              "resourcemanager.job.timeout",
              "5 min",
              "Time without a leader after which the ResourceManager forgets a job.")
          .atLeast("1 ms");
  public static final Option<Duration> STARTED_WORKER_TIMEOUT =
      Option.duration(
              "resourcemanager.taskmanager-registration.timeout",
              "5 min",
              "Time after which a worker that was started and has not registered is replaced.")
          .atLeast("1 ms");
  public static final Option<Duration> PREVIOUS_WORKER_TIMEOUT =
      Option.duration(
              "resourcemanager.previous-worker.recovery.timeout",
              "30 s",
              "Time living workers have to register again, with a restarted ResourceManager or after they have given it up, before they are replaced.")
          .atLeast("0 ms");
  public static final Option<Duration> RELEASED_WORKER_TIMEOUT =
      Option.duration(
              "resourcemanager.taskmanager-release.timeout",
              "2 min",
              "Time after which a worker that was told to end counts as gone although its driver has not said so.")
          .atLeast("1 ms");
  public static final Option<Duration> START_RETRY_INTERVAL =
      Option.duration(
              "resourcemanager.start-worker.retry-interval",
              "3 s",
              "Pause after a worker could not be started or ended before it registered.")
          .atLeast("0 ms");
  public static final Option<Double> START_FAILURE_RATE =
      Option.decimal(
              "resourcemanager.start-worker.max-failure-rate",
              10.0,
              "Failed starts a minute above which no worker is started until fewer are left of the last minute.")
          .moreThan(0);
  public static final Option<Duration> IDLE_WORKER_TIMEOUT =
      Option.duration(
              "resourcemanager.taskmanager-timeout",
              "30 s",
              "Time after which a started worker that nobody uses is given back.")
          .atLeast("0 ms");
  public static final Option<Integer> SPARE_WORKERS =
      Option.integer(
              "slotmanager.redundant-taskmanager-num",
              0,
              "Workers kept free beyond those in use, so that one that is lost is replaced at once.")
          .atLeast(0);
  public static final Option<Integer> MIN_SLOTS =
      Option.integer(
              "slotmanager.number-of-slots.min",
              0,
              "Slots for which workers are started and kept although nobody needs them.")
          .atLeast(0);
  public static final Option<Integer> MAX_SLOTS =
      Option.integer(
              "slotmanager.number-of-slots.max",
              Integer.MAX_VALUE,
              "Most slots that started workers may have together.")
          .atLeast(1);
  public static final Option<Double> MIN_CPU =
      Option.decimal(
              "slotmanager.min-total-resource.cpu",
              0,
              "Processor cores for which workers are started and kept although nobody needs them.")
          .atLeast(0);
  public static final Option<Double> MAX_CPU =
      Option.decimal(
              "slotmanager.max-total-resource.cpu",
              Double.MAX_VALUE,
              "Most processor cores that started workers may have together.")
          .moreThan(0);
  public static final Option<MemorySize> MIN_MEMORY =
      Option.memory(
              "slotmanager.min-total-resource.memory",
              "0b",
              "Memory of slots for which workers are started and kept although nobody needs it.")
          .atLeast("0b");
  public static final Option<MemorySize> MAX_MEMORY =
      Option.memory(
              "slotmanager.max-total-resource.memory",
              "9223372036854775807b",
              "Most memory of slots that started workers may have together.")
          .atLeast("1b");
  public static final Option<String> DRIVER =
      Option.text(
          "resourcemanager.driver",
          "standalone",
          "Where TaskManagers come from: standalone, where somebody else starts them, or process, which"
              + " starts them on this machine as jobs need them. A JobManager on YARN takes yarn by"
              + " itself.");
  public static final Option<Integer> MAX_PROCESSES =
      Option.integer(
              "process.max-taskmanagers",
              -1,
              "TaskManagers the driver process has at a time at most; -1 takes one per processor.")
          .atLeast(1)
          .or(-1);
  public static final Option<String> PROCESS_DIRECTORY =
      Option.text(
          "process.directory",
          "Where the driver process keeps files and logs of its TaskManagers, and finds them again after a restart; under ~/.millrace where unset.");
  public static final Option<Boolean> SPREAD_OUT =
      Option.flag(
          "cluster.evenly-spread-out-slots",
          false,
          "Whether slots are taken from all workers evenly instead of filling one after the other.");

  // --- failures
  public static final Option<RestartStrategy> RESTART_STRATEGY =
      Option.choice(
              "restart-strategy.type",
              RestartStrategy.class,
              RestartStrategy.NONE,
              "What happens when a task fails: the job fails, or restarts after a fixed delay.")
          .perJob();
  public static final Option<Integer> RESTART_ATTEMPTS =
      Option.integer(
              "restart-strategy.fixed-delay.attempts",
              1,
              "Restarts a job may have before it fails.")
          .atLeast(0)
          .perJob();
  public static final Option<Duration> RESTART_DELAY =
      Option.duration(
              "restart-strategy.fixed-delay.delay",
              "1 s",
              "Pause between a failure and the restart.")
          .atLeast("0 ms")
          .perJob();

  // --- recovery
  public static final Option<HighAvailability> HA_TYPE =
      Option.choice(
          "high-availability.type",
          HighAvailability.class,
          HighAvailability.NONE,
          "Where a JobManager keeps jobs, results and jars for the next one: nowhere, or in files.");
  public static final Option<String> HA_STORAGE_DIR =
      Option.text(
          "high-availability.storageDir",
          "Directory for what a JobManager recovers from: a local one, or one in HDFS for a JobManager that may be started again on another machine. TaskManagers with the same directory find the JobManager there.");
  public static final Option<String> CLUSTER_ID =
      Option.text(
          "high-availability.cluster-id",
          "/default",
          "The cluster's own directory in high-availability.storageDir, and what an application's job"
              + " ids are derived from: the same in each attempt to run it, and no other cluster's.");

  // --- what stands before the services
  public static final Option<UncaughtException> UNCAUGHT_EXCEPTION =
      Option.choice(
          "cluster.uncaught-exception-handling",
          UncaughtException.class,
          UncaughtException.LOG,
          "What a process does about an exception that ends one of its threads: log it, or end with code 2. It always ends when memory has run out.");
  public static final Option<List<String>> PLUGIN_PARENT_FIRST =
      Option.list(
              "plugin.classloader.parent-first-patterns.default",
              "java.;io.millrace.;org.slf4j;ch.qos.logback",
              "Prefixes of classes that plugins share with the engine; it hides all others from them.")
          .perCommand();
  public static final Option<List<String>> PLUGIN_PARENT_FIRST_ADDITIONAL =
      Option.list(
              "plugin.classloader.parent-first-patterns.additional",
              "",
              "Further prefixes of classes that plugins share with the engine.")
          .perCommand();

  // --- files and processes
  public static final Option<String> TMP_DIRS =
      Option.text(
              "io.tmp.dirs", System.getProperty("java.io.tmpdir"), "Directory for temporary files.")
          .perCommand();
  public static final Option<String> BLOB_DIR =
      Option.text(
          "blob.storage.directory",
          "Directory for jars and graphs; under io.tmp.dirs where unset.");
  public static final Option<String> UPLOAD_DIR =
      Option.text("web.upload.dir", "Directory for uploaded jars; under io.tmp.dirs where unset.");
  public static final Option<MemorySize> UPLOAD_LIMIT =
      Option.memory("rest.server.max-content-length", "512mb", "Largest request body REST accepts.")
          .atLeast("1kb");
  public static final Option<JobStoreType> FINISHED_JOBS_STORE =
      Option.choice(
          "jobstore.type",
          JobStoreType.class,
          JobStoreType.FILE,
          "Where the JobManager keeps the details of ended jobs: file, which with"
              + " high-availability.type file outlives it, or memory.");
  public static final Option<MemorySize> FINISHED_JOBS_CACHE =
      Option.memory(
              "jobstore.cache-size",
              "50mb",
              "Details of ended jobs, counted as in their files, that are kept in memory besides.")
          .atLeast("0b");
  public static final Option<Integer> FINISHED_JOBS =
      Option.integer("jobstore.max-capacity", 1000, "Ended jobs the JobManager remembers.")
          .atLeast(1);
  public static final Option<Duration> FINISHED_JOBS_EXPIRATION =
      Option.duration(
              "jobstore.expiration-time", "1 h", "Time the JobManager remembers an ended job.")
          .atLeast("0 ms");
  public static final Option<String> ADDRESS_FILE =
      Option.text(
          "process.address-file",
          "File into which a process writes its actual addresses once it serves.");
  public static final Option<String> JAVA_OPTS =
      Option.text("env.java.opts.all", "", "JVM options for every process.").perCommand();
  public static final Option<String> JAVA_OPTS_JOB_MANAGER =
      Option.text("env.java.opts.jobmanager", "", "JVM options for the JobManager.");
  public static final Option<String> JAVA_OPTS_TASK_MANAGER =
      Option.text("env.java.opts.taskmanager", "", "JVM options for TaskManagers.");
  public static final Option<String> JAVA_OPTS_CLIENT =
      Option.text("env.java.opts.client", "", "JVM options for the command line.").perCommand();
  public static final Option<MemorySize> LOG_SIZE =
      Option.memory(
              "env.log.max-size",
              "32mb",
              "Size at which the log file of a process is renamed and a new one begun.")
          .atLeast("64kb");
  public static final Option<Integer> LOG_FILES =
      Option.integer("env.log.max", 5, "How many renamed log files of a process are kept.")
          .between(1, 20);

  public static final Option<List<String>> EXTERNAL_RESOURCES =
      Option.list(
          "external-resources",
          "",
          "Names of the external resources, such as gpu, that each TaskManager has.");
  public static final Option<Integer> EXTERNAL_RESOURCE_AMOUNT =
      Option.integer(
              "external-resource.<name>.amount", "How many of the resource each TaskManager has.")
          .atLeast(1);
  public static final Option<String> EXTERNAL_RESOURCE_DRIVER =
      Option.text(
          "external-resource.<name>.driver-factory.class",
          "Class that finds the resource on a machine; where unset, the discovery script does.");
  public static final Option<String> EXTERNAL_RESOURCE_PARAMETER =
      Option.text(
          "external-resource.<name>.param.<parameter>",
          "Parameter of the driver; for the discovery script: discovery-script.path and"
              + " discovery-script.args.");

  private Options() {}

  /** All options, in the order in which they are declared. */
  public static List<Option<?>> all() {
    List<Option<?>> options = new ArrayList<>();
    addDeclared(Options.class, options);
    addDeclared(MemoryOptions.class, options);
    addDeclared(SecurityOptions.class, options);
    addDeclared(TlsOptions.class, options);
    addDeclared(RestTlsOptions.class, options);
    addDeclared(RestOptions.class, options);
    addDeclared(HistoryOptions.class, options);
    addDeclared(YarnOptions.class, options);
    return options;
  }

  private static void addDeclared(Class<?> declaring, List<Option<?>> options) {
    for (Field field : declaring.getDeclaredFields()) {
      if (Modifier.isPublic(field.getModifiers()) && field.getType() == Option.class) {
        try {
          options.add((Option<?>) field.get(null));
        } catch (IllegalAccessException e) {
          throw new IllegalStateException("Public option fields are readable", e);
        }
      }
    }
  }
}
