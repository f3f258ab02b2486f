package io.millrace.examples;

import io.millrace.api.execution.JobClient;
import io.millrace.api.execution.JobExecutor;
import io.millrace.api.function.Collector;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.program.Program;
import io.millrace.api.program.Transformation;
import io.millrace.api.sink.Committer;
import io.millrace.api.sink.CommittingSink;
import io.millrace.api.sink.CommittingSinkWriter;
import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.SinkWriter;
import io.millrace.api.source.EnumeratedSource;
import io.millrace.api.source.EnumeratorContext;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.Source;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SourceSplit;
import io.millrace.api.source.SplitEnumerator;
import io.millrace.core.fs.FileSystems;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs bounded programs of this package in one thread: one transformation after the other, in batch
 * mode.
 */
final class BatchRunner implements JobExecutor {
  private static final FileSystems FILES = FileSystems.withoutPlugins();

  final List<Program> programs = new ArrayList<>();

  @Override
  public JobClient execute(Program program) {
    programs.add(program);
    List<Object> collected = new ArrayList<>();
    List<List<Object>> outputs = new ArrayList<>();
    for (Transformation transformation : program.transformations()) {
      List<Object> input = new ArrayList<>();
      transformation.inputs().forEach(position -> input.addAll(outputs.get(position)));
      List<Object> output = new ArrayList<>();
      if (transformation instanceof Transformation.Operator operator) {
        try {
          run(operator.spec(), input, output::add, collected);
        } catch (Exception e) {
          throw new IllegalStateException(operator.name(), e);
        }
      } else {
        output.addAll(input);
      }
      outputs.add(output);
    }
    return new FinishedJobClient(program.name(), collected);
  }

  private static void run(
      OperatorSpec spec, List<Object> input, Collector<Object> out, List<Object> collected)
      throws Exception {
    if (spec instanceof OperatorSpec.Source source) {
      read(source.source(), out);
    } else if (spec instanceof OperatorSpec.FlatMap flatMap) {
      for (Object record : input) {
        flatMap.function().flatMap(record, out);
      }
    } else if (spec instanceof OperatorSpec.Map map) {
      for (Object record : input) {
        out.emit(map.function().map(record));
      }
    } else if (spec instanceof OperatorSpec.Aggregate aggregate && aggregate.finalOnly()) {
      Map<Object, Object> accumulators = new LinkedHashMap<>();
      for (Object record : input) {
        Object key = aggregate.key().key(record);
        Object accumulator =
            accumulators.computeIfAbsent(key, absent -> aggregate.function().create());
        accumulators.put(key, aggregate.function().add(accumulator, record));
      }
      for (Object accumulator : accumulators.values()) {
        out.emit(aggregate.function().result(accumulator));
      }
    } else if (spec instanceof OperatorSpec.Sink sink) {
      write(sink.sink(), input);
    } else if (spec instanceof OperatorSpec.Collect) {
      collected.addAll(input);
    } else {
      throw new UnsupportedOperationException(spec.getClass().getSimpleName());
    }
  }

  @SuppressWarnings("unchecked") // A committer gets only what the writer of its sink prepared.
  private static void write(Sink<Object> sink, List<Object> input) throws Exception {
    SinkContext context = new OnlyWriter();
    try (SinkWriter<Object> writer = sink.createWriter(context)) {
      for (Object record : input) {
        writer.write(record);
      }
      writer.flush(true);
      if (sink instanceof CommittingSink<?, ?> committing) {
        try (Committer<Object> committer =
            ((CommittingSink<Object, Object>) committing).createCommitter(context)) {
          committer.commit(((CommittingSinkWriter<Object, Object>) writer).prepareCommit());
        }
      }
    }
  }

  private record OnlyWriter() implements SinkContext {
    @Override
    public int subtask() {
      return 0;
    }

    @Override
    public int parallelism() {
      return 1;
    }

    @Override
    public int attempt() {
      return 0;
    }

    @Override
    public boolean isRestored() {
      return false;
    }

    @Override
    public boolean isCheckpointing() {
      return false;
    }

    @Override
    public long currentProcessingTime() {
      return 0;
    }

    @Override
    public FileSystems files() {
      return FILES;
    }
  }

  /** Emits all records of a bounded source. */
  static <S extends SourceSplit> void read(Source<Object, S> source, Collector<Object> out)
      throws Exception {
    SourceContext context = new OnlyInstance();
    try (SourceReader<Object, S> reader = source.createReader(context)) {
      reader.addSplits(
          source instanceof EnumeratedSource<Object, S, ?> enumerated
              ? splits(enumerated)
              : source.initialSplits(context));
      while (reader.poll(out::emit, 100) != PollingReader.Status.END) {}
    }
  }

  private static <S extends SourceSplit> List<S> splits(EnumeratedSource<Object, S, ?> source)
      throws Exception {
    List<S> found = new ArrayList<>();
    try (SplitEnumerator<S, ?> enumerator = source.createEnumerator(new OnlyEnumerator())) {
      while (enumerator.discover(found::add) != PollingReader.Status.END) {}
    }
    return found;
  }

  private record OnlyEnumerator() implements EnumeratorContext {
    @Override
    public int readers() {
      return 1;
    }

    @Override
    public FileSystems files() {
      return FILES;
    }

    @Override
    public void processingBacklog(boolean backlog) {}

    @Override
    public void wake() {}

    @Override
    public void wakeAfter(Duration delay) {}
  }

  private record OnlyInstance() implements SourceContext {
    @Override
    public int subtask() {
      return 0;
    }

    @Override
    public int parallelism() {
      return 1;
    }

    @Override
    public FileSystems files() {
      return FILES;
    }

    @Override
    public void wake() {}

    @Override
    public void wakeAfter(Duration delay) {}
  }
}
