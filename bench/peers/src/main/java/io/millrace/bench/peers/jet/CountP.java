package io.millrace.bench.peers.jet;

import com.hazelcast.jet.core.AbstractProcessor;
import com.hazelcast.jet.core.Inbox;
import com.hazelcast.jet.core.Processor;
import io.millrace.bench.load.RecordMeter;

/** Counts and discards. */
final class CountP extends AbstractProcessor {
  private int instance;
  private long count;

  @Override
  protected void init(Processor.Context context) {
    instance = context.globalProcessorIndex();
  }

  @Override
  public void process(int ordinal, Inbox inbox) {
    count += inbox.size();
    inbox.clear();
    RecordMeter.out(instance, count);
  }
}
