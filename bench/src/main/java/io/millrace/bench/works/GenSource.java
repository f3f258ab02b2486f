package io.millrace.bench.works;

import io.millrace.api.source.Source;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SourceSplit;
import io.millrace.bench.load.CheckpointTimes;
import io.millrace.bench.load.Gen;
import io.millrace.bench.load.Probe;
import io.millrace.bench.load.RecordMeter;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;

/** The generator as a source: as fast as possible, or at a fixed rate. */
record GenSource<T>(long keys, Maker<T> maker, Probe probe)
    implements Source<T, GenSource.GenSplit> {
  private static final Duration PAUSE = Duration.ofNanos(50_000);

  /**
   * Creates the next record, or returns null while none is due. One instance per source instance.
   */
  @FunctionalInterface
  interface Maker<T> extends Serializable {
    T make(Gen gen);
  }

  /** The generator of one instance, and its state. */
  record GenSplit(int instance, long state, long position) implements SourceSplit {
    @Override
    public String splitId() {
      return String.valueOf(instance);
    }
  }

  @Override
  public boolean isBounded() {
    return false;
  }

  @Override
  public List<GenSplit> initialSplits(SourceContext context) {
    long[] start = new Gen(context.subtask(), keys).save();
    return List.of(new GenSplit(context.subtask(), start[0], start[1]));
  }

  @Override
  public SourceReader<T, GenSplit> createReader(SourceContext context) {
    probe.begin();
    return new Reader<>(this, context);
  }

  private static final class Reader<T> implements SourceReader<T, GenSplit> {
    private final SourceContext context;
    private final Maker<T> maker;
    private final Probe probe;
    private final Gen gen;

    Reader(GenSource<T> source, SourceContext context) {
      this.context = context;
      this.maker = source.maker();
      this.probe = source.probe();
      this.gen = new Gen(context.subtask(), source.keys());
    }

    @Override
    public Status poll(SourceOutput<T> out, int limit) {
      boolean due = true;
      for (int i = 0; i < limit && due; i++) {
        T made = maker.make(gen);
        if (made == null) {
          due = false;
        } else {
          out.emit(made);
        }
      }
      RecordMeter.in(context.subtask(), gen.position());
      if (RecordMeter.stop) {
        return Status.END;
      }
      if (due) {
        return Status.MORE;
      }
      context.wakeAfter(PAUSE);
      return Status.WAIT;
    }

    @Override
    public void addSplits(List<GenSplit> splits) {
      splits.forEach(split -> gen.restore(new long[] {split.state(), split.position()}));
    }

    @Override
    public List<GenSplit> snapshot(long checkpoint) {
      CheckpointTimes.began(checkpoint);
      long[] saved = gen.save();
      return List.of(new GenSplit(context.subtask(), saved[0], saved[1]));
    }

    @Override
    public void checkpointCompleted(long checkpoint) {
      CheckpointTimes.completed(checkpoint);
      if (context.subtask() == 0) {
        RecordMeter.SNAPSHOTS.incrementAndGet();
      }
    }

    @Override
    public void close() {
      probe.sent(context.subtask(), gen.position());
    }
  }
}
