package io.millrace.bench.nexmark;

import io.millrace.api.source.Source;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SourceSplit;
import io.millrace.bench.load.RecordMeter;
import io.millrace.bench.load.nexmark.NexmarkEvent;
import io.millrace.bench.load.nexmark.NexmarkGenerator;
import io.millrace.bench.load.nexmark.NexmarkSettings;
import java.util.List;

/** The generator as a source. */
record NexmarkSource(NexmarkSettings settings)
    implements Source<NexmarkEvent, NexmarkSource.Share> {

  /** The share of one instance, and how many events of it are generated. */
  record Share(int instance, int instances, long position) implements SourceSplit {
    @Override
    public String splitId() {
      return instance + " of " + instances;
    }
  }

  @Override
  public boolean isBounded() {
    return settings.isBounded();
  }

  @Override
  public List<Share> initialSplits(SourceContext context) {
    return List.of(new Share(context.subtask(), context.parallelism(), 0));
  }

  @Override
  public SourceReader<NexmarkEvent, Share> createReader(SourceContext context) {
    return new Reader(settings, context);
  }

  private static final class Reader implements SourceReader<NexmarkEvent, Share> {
    private final NexmarkSettings settings;
    private final SourceContext context;
    private Share share;
    private NexmarkGenerator generator;

    Reader(NexmarkSettings settings, SourceContext context) {
      this.settings = settings;
      this.context = context;
    }

    @Override
    public Status poll(SourceOutput<NexmarkEvent> out, int limit) {
      if (generator == null) {
        return Status.END;
      }
      for (int i = 0; i < limit; i++) {
        if (!generator.hasNext()) {
          return Status.END;
        }
        out.emit(generator.next());
      }
      RecordMeter.in(context.subtask(), generator.position());
      return RecordMeter.stop ? Status.END : Status.MORE;
    }

    @Override
    public void addSplits(List<Share> splits) {
      for (Share split : splits) {
        if (generator != null) {
          throw new IllegalStateException(
              "One share per instance; the parallelism must not change");
        }
        share = split;
        generator = new NexmarkGenerator(settings, split.instance(), split.instances());
        generator.seek(split.position());
      }
    }

    @Override
    public List<Share> snapshot(long checkpoint) {
      return generator == null
          ? List.of()
          : List.of(new Share(share.instance(), share.instances(), generator.position()));
    }
  }
}
