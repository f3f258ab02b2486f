package io.millrace.examples;

import io.millrace.api.DataStream;
import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.Collector;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.source.GeneratorSource;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.util.List;
import java.util.function.Function;

/**
 * Finds accounts on which a small payment, which may test a stolen card, is directly followed by a
 * large one: at most {@code --small} (100) and at least {@code --large} (50000) cents, the second
 * at most {@code --within} (60000) milliseconds after the first. An alert is {@code
 * ACCOUNT<TAB>MILLIS<TAB>CENTS} of the large payment.
 *
 * <p>Lines {@code MILLIS<TAB>ACCOUNT<TAB>CENTS} come from {@code --input FILE} or are bundled. With
 * {@code --rate N} they are generated, N per second and {@code --count N} in all (else until the
 * job is stopped): of 50 payments, 5 of each of ten accounts, ten give an alert. {@code --disorder}
 * (500) is in milliseconds. {@code --output DIR} writes the alerts to a directory instead of
 * printing them.
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
    run(args, Detector::new);
  }

  /**
   * Runs the job. Sources and operators with state have uids, so that a later version of the
   * program finds their state in a savepoint.
   */
  static void run(String[] args, Function<Limits, Detector> createDetector) {
    Arguments arguments =
        Arguments.parse(
            args,
            List.of(
                "--input",
                "--output",
                "--small",
                "--large",
                "--within",
                "--disorder",
                "--rate",
                "--count"),
            List.of());
    Limits limits =
        new Limits(
            arguments.positive("--small", 100),
            arguments.positive("--large", 50_000),
            arguments.positive("--within", 60_000));
    StreamEnvironment env = StreamEnvironment.current();

    DataStream<Timed> lines =
        arguments.find("--rate").isPresent()
            ? Timed.stream(generated(env, arguments), arguments)
            : Timed.stream(env, arguments, "payments.txt");
    DataStream<String> alerts =
        lines
            .map(Payment::of)
            .name("payment")
            .parallelism(1)
            .keyBy(Payment::account)
            .process(createDetector.apply(limits))
            .name("detect")
            .uid("detect");
    Results.deliver(env, alerts, arguments, "fraud alerts");
  }

  private static DataStream<String> generated(StreamEnvironment env, Arguments arguments) {
    GeneratorSource<String> endless = GeneratorSource.of(FraudAlerts::line);
    GeneratorSource<String> lines =
        arguments.find("--count").isPresent()
            ? endless.count(arguments.positive("--count", 1))
            : endless;
    return env.generate(lines.perSecond((double) arguments.positive("--rate", 1)))
        .name("payments")
        .uid("payments");
  }

  /** A payment per second; each account has small ones, and every fifth is large. */
  private static String line(long index) {
    long[] cents = {50, 60_000, 80, 90, 70};
    return index * 1000 + "\taccount-" + index % 10 + "\t" + cents[(int) (index / 10 % 5)];
  }

  /** When a payment gives an alert. */
  record Limits(long small, long large, long within) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  /** Remembers the last payment of an account if it was small, until it is too old. */
  static class Detector extends KeyedProcessFunction<String, Payment, String> {
    private static final long serialVersionUID = 1L;

    private final Limits limits;
    private transient ValueState<Long> suspect;

    Detector(Limits limits) {
      this.limits = limits;
    }

    @Override
    public void open(RuntimeContext context) {
      suspect = context.state(new ValueStateDescriptor<>("suspect"));
    }

    @Override
    public void process(Payment payment, Context<String> context, Collector<String> out) {
      Long since = suspect.value();
      if (since != null) {
        if (payment.cents() >= limits.large() && payment.time() <= since + limits.within()) {
          out.emit(alert(payment));
        }
        context.timerService().deleteEventTimeTimer(since + limits.within());
        suspect.clear();
      }
      if (payment.cents() <= limits.small()) {
        suspect.update(payment.time());
        context.timerService().registerEventTimeTimer(payment.time() + limits.within());
      }
    }

    /** The line of an alert. */
    String alert(Payment payment) {
      return payment.account() + "\t" + payment.time() + "\t" + payment.cents();
    }

    @Override
    public void onTimer(long time, OnTimerContext<String> context, Collector<String> out) {
      suspect.clear();
    }
  }
}
