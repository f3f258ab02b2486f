package io.millrace.api;

import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobExecutionListener;
import io.millrace.api.execution.JobExecutionResult;
import io.millrace.api.execution.JobStatus;
import io.millrace.api.execution.ProgramContext;
import io.millrace.api.function.IndexFunction;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.program.CachedFile;
import io.millrace.api.program.Program;
import io.millrace.api.program.Transformation;
import io.millrace.api.serialization.Serializer;
import io.millrace.api.source.CollectionSource;
import io.millrace.api.source.GeneratorSource;
import io.millrace.api.source.SocketTextSource;
import io.millrace.api.source.Source;
import io.millrace.api.source.TextFileSource;
import io.millrace.api.time.WatermarkStrategy;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.ConfigurationCheck;
import io.millrace.core.config.CoreOptions;
import io.millrace.core.config.DeclaredOptions;
import io.millrace.core.config.DeploymentOptions;
import io.millrace.core.config.ExecutionOptions;
import io.millrace.core.config.Option;
import io.millrace.core.config.PipelineOptions;
import io.millrace.core.config.RuntimeMode;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.id.DataSetId;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The entry of a program: it creates streams from sources, collects their transformations and
 * executes them as a job. Not thread-safe. Closing it releases the data sets of {@link
 * DataStream#cache}; a program that caches nothing, or ends after its jobs, need not close it.
 *
 * <pre>{@code
 * StreamEnvironment env = StreamEnvironment.current();
 * env.readText("words.txt").filter(line -> !line.isEmpty()).print();
 * env.execute("lines");
 * }</pre>
 */
public final class StreamEnvironment implements AutoCloseable {
  private static final String DEFAULT_NAME = "Millrace job";

  /** Classes whose records have a built-in encoding. */
  private static final List<Class<?>> OWN_FORM =
      List.of(
          String.class,
          Boolean.class,
          Byte.class,
          Short.class,
          Character.class,
          Integer.class,
          Long.class,
          Float.class,
          Double.class);

  private final ProgramContext context;
  private final List<PendingTransformation> collected = new ArrayList<>();
  private Configuration settings = Configuration.EMPTY;
  private final Map<Class<?>, Serializer<?>> serializers = new LinkedHashMap<>();

  private final Map<String, CachedFile> files = new LinkedHashMap<>();

  private final List<JobExecutionListener> listeners = new ArrayList<>();

  /** Records of the job that is executed next. */
  private final List<CollectedRecords<?>> awaited = new ArrayList<>();

  /** The data sets that jobs of this environment may have cached. */
  private final Set<DataSetId> kept = new LinkedHashSet<>();

  private int nextNumber;

  private StreamEnvironment(ProgramContext context) {
    this.context = context;
  }

  /**
   * A new environment for the executor of this program: inside {@code millrace run} that of the
   * target, else the one on the class path, such as the embedded cluster.
   */
  public static StreamEnvironment current() {
    return new StreamEnvironment(ProgramContext.current());
  }

  /** A new environment for an executor that the caller has, as in tests. */
  public static StreamEnvironment of(ProgramContext context) {
    return new StreamEnvironment(Objects.requireNonNull(context, "context"));
  }

  // --- settings of the jobs to come

  /** Parallelism of operators that set none. */
  public StreamEnvironment parallelism(int parallelism) {
    return set(
        CoreOptions.DEFAULT_PARALLELISM,
        ArgumentChecks.parallelism("the environment", parallelism));
  }

  /** Number of key groups of operators that set none: the limit of later rescaling. */
  public StreamEnvironment maxParallelism(int maxParallelism) {
    return set(
        PipelineOptions.MAX_PARALLELISM,
        ArgumentChecks.parallelism("the environment", maxParallelism));
  }

  /** Chooses between streaming and batch execution. */
  public StreamEnvironment runtimeMode(RuntimeMode mode) {
    return set(ExecutionOptions.RUNTIME_MODE, mode);
  }

  /** Runs every operator in its own task. */
  public StreamEnvironment disableChaining() {
    return set(PipelineOptions.OPERATOR_CHAINING, false);
  }

  /** Sets any option of the job; it wins over what the job is run with. */
  public StreamEnvironment configure(String key, String value) {
    Configuration changed = settings.with(key, value);
    // The configuration of the run may contain further keys.
    ConfigurationCheck check =
        new ConfigurationCheck(
            DeclaredOptions.all(), context.configuration().overriddenBy(changed));
    check.keys(changed);
    check.values(changed);
    settings = changed;
    return this;
  }

  /**
   * Registers a serializer for a class, for all records of later jobs. For classes that Millrace
   * cannot serialise by itself, or that have a more compact form.
   *
   * @param type exactly this class; subclasses are not included
   */
  public <T> StreamEnvironment registerSerializer(Class<T> type, Serializer<? super T> serializer) {
    Objects.requireNonNull(serializer, "serializer");
    if (type.isPrimitive()
        || type.isArray()
        || type.isEnum()
        || type.isInterface()
        || Modifier.isAbstract(type.getModifiers())
        || type == Object.class
        || OWN_FORM.contains(type)) {
      throw new MillraceException(
          ErrorKind.USER,
          "No serializer can be registered for "
              + type.getTypeName()
              + ": it is taken by the class of the object itself, which is never an interface or an"
              + " abstract class, and numbers, strings, enums and arrays have their own form."
              + " Register it for the class of the objects.");
    }
    serializers.put(type, serializer);
    return this;
  }

  /**
   * Makes a file or a directory available to the functions of later jobs, which open it with {@link
   * RuntimeContext#cachedFile}. A local one travels with the job; one with another scheme, such as
   * {@code hdfs:}, is read by the TaskManagers. Each TaskManager fetches it once for a job and
   * deletes it with the last task of the job.
   *
   * @param name under which functions find it
   */
  public StreamEnvironment registerCachedFile(String path, String name) {
    return registerCachedFile(path, name, false);
  }

  /**
   * The same with the choice to make the file, or all files of the directory, executable.
   *
   * @param executable whether TaskManagers make it executable
   */
  public StreamEnvironment registerCachedFile(String path, String name, boolean executable) {
    return register(new CachedFile(name, resolved(path), false, executable));
  }

  /**
   * As {@link #registerCachedFile(String, String)} for a zip archive, which TaskManagers unpack:
   * functions open a directory.
   */
  public StreamEnvironment registerCachedArchive(String path, String name) {
    return register(new CachedFile(name, resolved(path), true, false));
  }

  private StreamEnvironment register(CachedFile file) {
    ArgumentChecks.text("name", file.name());
    FilePath path = FilePath.parse(file.path());
    if (path.isLocal() && !Files.exists(Path.of(path.path()))) {
      throw new MillraceException(
          ErrorKind.USER,
          "The cached file '"
              + file.name()
              + "' does not exist: "
              + path.path()
              + ". Check the path; a file that is not on this machine needs a scheme, such as"
              + " hdfs:.");
    }
    CachedFile before = files.putIfAbsent(file.name(), file);
    if (before != null && !before.equals(file)) {
      throw new MillraceException(
          ErrorKind.USER,
          "There are two cached files '"
              + file.name()
              + "': "
              + before.path()
              + " and "
              + file.path()
              + ". Register them under different names.");
    }
    return this;
  }

  /** A relative path means the working directory of the program, not that of a TaskManager. */
  private static String resolved(String path) {
    FilePath parsed = FilePath.parse(ArgumentChecks.text("path", path));
    return parsed.isLocal() ? parsed.path() : path;
  }

  /** Adds a listener to all jobs that are executed after this. */
  public StreamEnvironment registerJobListener(JobExecutionListener listener) {
    listeners.add(Objects.requireNonNull(listener, "listener"));
    return this;
  }

  private StreamEnvironment set(Option<?> option, Object value) {
    settings = settings.with(option, value);
    return this;
  }

  /** The configuration of the next job. */
  public Configuration configuration() {
    return context.configuration().overriddenBy(settings);
  }

  // --- sources

  /** Creates a stream of the records of a source. */
  public <T> DataStream<T> fromSource(Source<T, ?> source, String name) {
    OperatorSpec spec = new OperatorSpec.Source(TypeErasure.source(source));
    return new DataStream<>(
        add(
            ArgumentChecks.text("name", name),
            new PendingTransformation.Kind.Operator(finalOnly -> spec),
            List.of()));
  }

  /** Creates a stream with timestamps and watermarks. */
  public <T> DataStream<T> fromSource(
      Source<T, ?> source, WatermarkStrategy<? super T> strategy, String name) {
    return fromSource(source, name).assignTimestampsAndWatermarks(strategy);
  }

  /** Creates a stream of elements, which are a part of the job. */
  public <T> DataStream<T> fromCollection(Collection<? extends T> elements) {
    return fromSource(CollectionSource.of(elements), "collection");
  }

  /** Creates a stream of elements, which are a part of the job. */
  @SafeVarargs
  public final <T> DataStream<T> fromElements(T... elements) {
    List<T> list = new ArrayList<>();
    for (T element : elements) {
      list.add(element);
    }
    return fromCollection(list);
  }

  /** The lines of text files; a directory means the files in it. */
  public DataStream<String> readText(String path, String... more) {
    List<String> paths = new ArrayList<>(List.of(path));
    paths.addAll(List.of(more));
    return fromSource(TextFileSource.of(paths), "text");
  }

  /** Unbounded records generated from the indexes 0, 1, 2 and so on, without a rate limit. */
  public <T> DataStream<T> generate(IndexFunction<T> function) {
    return generate(GeneratorSource.of(function));
  }

  /** Records generated from the indexes 0 to {@code count - 1}. */
  public <T> DataStream<T> generate(IndexFunction<T> function, long count) {
    return generate(GeneratorSource.of(function).count(count));
  }

  /** Generated records with the count and the rate of the source. */
  public <T> DataStream<T> generate(GeneratorSource<T> source) {
    return fromSource(source, "generator");
  }

  /** The lines that a server sends; the stream ends when the server closes the connection. */
  public DataStream<String> socketText(String host, int port) {
    return fromSource(SocketTextSource.of(host, port), "socket");
  }

  // --- execution

  /** As {@link #execute(String)}, with a default name. */
  public JobExecutionResult execute() {
    return execute(DEFAULT_NAME);
  }

  /**
   * Executes the collected transformations as a job and waits until it has finished; throws if the
   * job fails or is cancelled. A program that was started detached does not wait; the status in its
   * result is not final.
   */
  public JobExecutionResult execute(String name) {
    boolean attached = configuration().get(DeploymentOptions.ATTACHED);
    JobClient client = executeAsync(name);
    if (attached) {
      JobExecutionResult result = client.await();
      listeners.forEach(listener -> listener.executed(result));
      return result.orThrow();
    }
    return new JobExecutionResult(
        client.id(), name, JobStatus.INITIALIZING, Duration.ZERO, Optional.empty());
  }

  /** As {@link #executeAsync(String)}, with a default name. */
  public JobClient executeAsync() {
    return executeAsync(DEFAULT_NAME);
  }

  /** Submits the collected transformations as a job, and clears them. */
  public JobClient executeAsync(String name) {
    if (name == null) {
      throw new MillraceException(
          ErrorKind.USER, "A job's name is null. Give one, or call execute() without a name.");
    }
    List<PendingTransformation> nodes = withAncestors(collected);
    List<CollectedRecords<?>> results = new ArrayList<>(awaited);
    collected.clear();
    awaited.clear();
    JobClient client;
    try {
      Program program = program(name, nodes);
      kept.addAll(program.dataSets());
      client = context.executor().execute(program);
    } catch (RuntimeException e) {
      listeners.forEach(listener -> listener.submissionFailed(e));
      throw e;
    }
    results.forEach(records -> records.submitted(client));
    listeners.forEach(listener -> listener.submitted(client));
    return client;
  }

  /** The number of the operator that is added next. */
  int nextNumber() {
    return nextNumber;
  }

  /** Has records read from the next job. */
  void await(CollectedRecords<?> records) {
    awaited.add(records);
  }

  /** Releases the data sets that jobs of this environment cached. */
  @Override
  public void close() {
    release(new ArrayList<>(kept));
  }

  /** Releases a data set, if a job has used it. */
  void release(DataSetId dataSet) {
    if (kept.contains(dataSet)) {
      release(List.of(dataSet));
    }
  }

  private void release(List<DataSetId> dataSets) {
    if (!dataSets.isEmpty()) {
      context.executor().release(dataSets);
      dataSets.forEach(kept::remove);
    }
  }

  private Program program(String name, List<PendingTransformation> nodes) {
    Configuration configuration = configuration();
    boolean finalOnly = configuration.get(ExecutionOptions.RUNTIME_MODE) == RuntimeMode.BATCH;
    Map<PendingTransformation, Integer> positions = new HashMap<>();
    List<Transformation> transformations = new ArrayList<>();
    for (PendingTransformation node : nodes) {
      positions.put(node, transformations.size());
      transformations.add(node.snapshot(positions::get, finalOnly));
    }
    return new Program(
        name, transformations, configuration, serializers, new ArrayList<>(files.values()));
  }

  private static List<PendingTransformation> withAncestors(List<PendingTransformation> nodes) {
    Set<PendingTransformation> reached = new LinkedHashSet<>();
    List<PendingTransformation> open = new ArrayList<>(nodes);
    while (!open.isEmpty()) {
      PendingTransformation node = open.remove(open.size() - 1);
      if (reached.add(node)) {
        open.addAll(node.inputs());
      }
    }
    return reached.stream().sorted(Comparator.comparingInt(PendingTransformation::number)).toList();
  }

  PendingTransformation add(
      String name, PendingTransformation.Kind step, List<PendingTransformation> inputs) {
    Objects.requireNonNull(name, "name");
    PendingTransformation node = new PendingTransformation(this, nextNumber++, name, step, inputs);
    collected.add(node);
    return node;
  }
}
