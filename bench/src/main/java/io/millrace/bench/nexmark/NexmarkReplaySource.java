package io.millrace.bench.nexmark;

import io.millrace.api.source.Source;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.api.source.SourceReader;
import io.millrace.bench.load.RecordMeter;
import io.millrace.bench.load.nexmark.NexmarkEvent;
import io.millrace.bench.load.nexmark.NexmarkReplay;
import io.millrace.bench.load.nexmark.NexmarkSettings;
import java.util.List;

/** The first events of a stream, again and again; for measurements without checkpoints. */
record NexmarkReplaySource(NexmarkSettings settings)
    implements Source<NexmarkEvent, NexmarkSource.Share> {
  @Override
  public boolean isBounded() {
    return false;
  }

  @Override
  public List<NexmarkSource.Share> initialSplits(SourceContext context) {
    return List.of(new NexmarkSource.Share(context.subtask(), context.parallelism(), 0));
  }

  @Override
  public SourceReader<NexmarkEvent, NexmarkSource.Share> createReader(SourceContext context) {
    NexmarkReplay replay = new NexmarkReplay(settings, context.subtask(), context.parallelism());
    return new SourceReader<>() {
      @Override
      public Status poll(SourceOutput<NexmarkEvent> out, int limit) {
        for (int i = 0; i < limit; i++) {
          out.emit(replay.next());
        }
        RecordMeter.in(context.subtask(), replay.position());
        return RecordMeter.stop ? Status.END : Status.MORE;
      }

      @Override
      public void addSplits(List<NexmarkSource.Share> splits) {}

      @Override
      public List<NexmarkSource.Share> snapshot(long checkpoint) {
        throw new UnsupportedOperationException("The position of a replay is not kept");
      }
    };
  }
}
