package io.millrace.examples;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.Collector;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.util.List;

/**
 * Finds accounts on which a small payment, which may test a stolen card, is directly followed by a
 * large one: at most {@code --small} (100) and at least {@code --large} (50000) cents, the second
 * at most {@code --within} (60000) milliseconds after the first. An alert is {@code
 * ACCOUNT<TAB>MILLIS<TAB>CENTS} of the large payment.
 *
 * <p>Lines {@code MILLIS<TAB>ACCOUNT<TAB>CENTS} come from {@code --input FILE} or are bundled.
 * {@code --disorder} (500) is in milliseconds. {@code --output DIR} writes the alerts to a
 * directory instead of printing them.
 */
public final class FraudAlerts {
  private FraudAlerts() {}

  /** A payment. */
  record Payment(long time, String account, long cents) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** From a line whose part after the time is {@code ACCOUNT<TAB>CENTS}. */
    static Payment of(Timed timed) {
      int tab = timed.name().indexOf('\t');
      try {
        if (tab > 0) {
          return new Payment(
              timed.time(),
              timed.name().substring(0, tab),
              Long.parseLong(timed.name().substring(tab + 1)));
        }
      } catch (NumberFormatException e) {
        throw invalidLine(timed, e);
      }
      throw invalidLine(timed, null);
    }

    private static MillraceException invalidLine(Timed timed, Throwable cause) {
      return new MillraceException(
          ErrorKind.USER,
          "A line must be MILLIS<TAB>ACCOUNT<TAB>CENTS, but is '" + timed.line() + "'.",
          cause);
    }
  }

  public static void main(String[] args) {
    Arguments arguments =
        Arguments.parse(
            args,
            List.of("--input", "--output", "--small", "--large", "--within", "--disorder"),
            List.of());
    Detector detector =
        new Detector(
            arguments.positive("--small", 100),
            arguments.positive("--large", 50_000),
            arguments.positive("--within", 60_000));
    StreamEnvironment env = StreamEnvironment.current();

    DataStream<String> alerts =
        Timed.stream(env, arguments, "payments.txt")
            .map(Payment::of)
            .name("payment")
            .parallelism(1)
            .keyBy(Payment::account)
            .process(detector)
            .name("detect")
            .uid("detect");
    Results.deliver(env, alerts, arguments, "fraud alerts");
  }

  /** Remembers the last payment of an account if it was small, until it is too old. */
  private static final class Detector extends KeyedProcessFunction<String, Payment, String> {
    private static final long serialVersionUID = 1L;

    private final long small;
    private final long large;
    private final long within;
    private transient ValueState<Long> suspect;

    Detector(long small, long large, long within) {
      this.small = small;
      this.large = large;
      this.within = within;
    }

    @Override
    public void open(RuntimeContext context) {
      suspect = context.state(new ValueStateDescriptor<>("suspect"));
    }

    @Override
    public void process(Payment payment, Context<String> context, Collector<String> out) {
      Long since = suspect.value();
      if (since != null) {
        if (payment.cents() >= large && payment.time() <= since + within) {
          out.emit(payment.account() + "\t" + payment.time() + "\t" + payment.cents());
        }
        context.timerService().deleteEventTimeTimer(since + within);
        suspect.clear();
      }
      if (payment.cents() <= small) {
        suspect.update(payment.time());
        context.timerService().registerEventTimeTimer(payment.time() + within);
      }
    }

    @Override
    public void onTimer(long time, OnTimerContext<String> context, Collector<String> out) {
      suspect.clear();
    }
  }
}
