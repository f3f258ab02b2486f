package io.millrace.soak.program;

import io.millrace.api.function.MapFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;

/** {@code SOURCE NUMBER KEY COUNT} of each record; the counts of a key have no gaps. */
final class RunningCount implements MapFunction<NumberedRecord, String>, RichFunction {
  private static final long serialVersionUID = 1L;

  private transient ValueState<Long> count;

  @Override
  public void open(RuntimeContext context) {
    count = context.state(new ValueStateDescriptor<>("count"));
  }

  @Override
  public String map(NumberedRecord record) {
    long now = count.valueOr(0L) + 1;
    count.update(now);
    return record.source() + " " + record.number() + " " + record.key() + " " + now;
  }
}
