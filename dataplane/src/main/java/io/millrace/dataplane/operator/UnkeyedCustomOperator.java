package io.millrace.dataplane.operator;

import io.millrace.api.custom.CustomOperator;
import io.millrace.api.custom.OneInputOperator;
import io.millrace.api.custom.TwoInputOperator;
import io.millrace.api.time.TimeDomain;
import io.millrace.api.time.TimerService;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;

/** Runs a {@link CustomOperator} of a stream without keys. */
class UnkeyedCustomOperator extends StreamOperator implements CustomOperator.Context, TimerService {
  /** Calls the operator for a record. */
  interface Input {
    void process(Object record) throws Exception;
  }

  private final OperatorContext context;
  private final CustomOperator<Object> operator;
  private final CustomOutput out;
  private final TaskClock clock;
  private final Input first;
  private long watermark = Long.MIN_VALUE;

  private UnkeyedCustomOperator(
      OperatorContext context, CustomOperator<Object> operator, OperatorOutputs outputs) {
    this.context = context;
    this.operator = operator;
    this.out = new CustomOutput(context.task(), outputs);
    this.clock = context.task().clock();
    this.first = input(operator, this, out, 0);
  }

  static StreamOperator open(
      OperatorContext context, CustomOperator<Object> operator, OperatorOutputs outputs) {
    return operator instanceof TwoInputOperator
        ? new OfTwo(context, operator, outputs)
        : new UnkeyedCustomOperator(context, operator, outputs);
  }

  /** One of the inputs of an operator. */
  @SuppressWarnings("unchecked") // Records are objects here.
  static Input input(
      CustomOperator<Object> operator,
      CustomOperator.Context context,
      CustomOutput out,
      int input) {
    if (operator instanceof OneInputOperator<?, Object> one) {
      OneInputOperator<Object, Object> typed = (OneInputOperator<Object, Object>) one;
      return record -> typed.process(record, context, out);
    } else if (operator instanceof TwoInputOperator<?, ?, Object> two) {
      TwoInputOperator<Object, Object, Object> typed =
          (TwoInputOperator<Object, Object, Object>) two;
      return input == 0
          ? record -> typed.process1(record, context, out)
          : record -> typed.process2(record, context, out);
    }
    throw new IllegalStateException("Unknown operator " + operator.getClass().getName());
  }

  private static final class OfTwo extends UnkeyedCustomOperator implements TwoInputs {
    private final Input second;

    OfTwo(OperatorContext context, CustomOperator<Object> operator, OperatorOutputs outputs) {
      super(context, operator, outputs);
      this.second = input(operator, this, super.out, 1);
    }

    @Override
    public void processSecond(Object record) {
      process(second, record);
    }
  }

  @Override
  public final void processElement(Object record) {
    process(first, record);
  }

  final void process(Input input, Object record) {
    try {
      input.process(record);
    } catch (Throwable thrown) {
      throw context.failed(thrown, record);
    }
  }

  @Override
  public final boolean handlesWatermarks() {
    return true;
  }

  @Override
  public final void watermark(long now) {
    watermark = now;
    try {
      operator.watermark(now, out);
    } catch (Throwable thrown) {
      throw context.failed(thrown);
    }
  }

  @Override
  public final void idle(boolean idle) {
    out.idle(idle);
  }

  @Override
  public final EndStatus end() {
    try {
      operator.endInput(out);
    } catch (Throwable thrown) {
      throw context.failed(thrown);
    }
    return EndStatus.DONE;
  }

  // --- the context of the operator

  @Override
  public final long timestamp() {
    return clock.timestamp;
  }

  @Override
  public final Object currentKey() {
    throw unkeyed("key");
  }

  @Override
  public final TimerService timerService() {
    return this;
  }

  @Override
  public final TimeDomain timeDomain() {
    throw unkeyed("timer");
  }

  @Override
  public final long currentWatermark() {
    return watermark;
  }

  @Override
  public final long currentProcessingTime() {
    return clock.read();
  }

  @Override
  public final void registerEventTimeTimer(long time) {
    throw unkeyed("timer");
  }

  @Override
  public final void registerProcessingTimeTimer(long time) {
    throw unkeyed("timer");
  }

  @Override
  public final void deleteEventTimeTimer(long time) {
    throw unkeyed("timer");
  }

  @Override
  public final void deleteProcessingTimeTimer(long time) {
    throw unkeyed("timer");
  }

  private MillraceException unkeyed(String what) {
    return new MillraceException(
        ErrorKind.USER,
        "Operator '"
            + context.operator()
            + "' has no "
            + what
            + ", because its stream is not keyed. Call transform directly behind keyBy.");
  }
}
