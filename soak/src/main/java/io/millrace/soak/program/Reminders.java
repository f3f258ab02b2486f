package io.millrace.soak.program;

import io.millrace.api.function.Collector;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.time.TimeDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Timers of both kinds. Every 7th record registers an event-time timer 500 ms after it, which emits
 * {@code e KEY TIME COUNT}: the number of records that registered it. Every 11th record registers a
 * processing-time timer, which emits {@code p SOURCE NUMBER} once.
 */
final class Reminders extends KeyedProcessFunction<String, NumberedRecord, String> {
  private static final long serialVersionUID = 1L;

  private static final long EVENT_DELAY = 500;
  private static final long PROCESSING_DELAY = 1_500;

  private transient MapState<Long, Long> registered;

  /** Records whose processing-time timer has not fired, with its time. */
  private transient MapState<String, Long> due;

  @Override
  public void open(RuntimeContext context) {
    registered = context.mapState(new MapStateDescriptor<>("registered"));
    due = context.mapState(new MapStateDescriptor<>("due"));
  }

  @Override
  public void process(NumberedRecord record, Context<String> context, Collector<String> out) {
    if (record.number() % 7 == 0) {
      long time = record.time() + EVENT_DELAY;
      Long before = registered.get(time);
      registered.put(time, before == null ? 1 : before + 1);
      context.timerService().registerEventTimeTimer(time);
    }
    if (record.number() % 11 == 0) {
      long time = context.timerService().currentProcessingTime() + PROCESSING_DELAY;
      due.put(record.source() + " " + record.number(), time);
      context.timerService().registerProcessingTimeTimer(time);
    }
  }

  @Override
  public void onTimer(long time, OnTimerContext<String> context, Collector<String> out) {
    if (context.timeDomain() == TimeDomain.EVENT_TIME) {
      out.emit("e " + context.currentKey() + " " + time + " " + registered.get(time));
      registered.remove(time);
      return;
    }
    List<String> fired = new ArrayList<>();
    for (Map.Entry<String, Long> entry : due.entries().entrySet()) {
      if (entry.getValue() == time) {
        fired.add(entry.getKey());
      }
    }
    for (String record : fired) {
      due.remove(record);
      out.emit("p " + record);
    }
  }
}
