package io.millrace.examples;

import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;

/**
 * The second version of {@link FraudAlerts}: alerts of an account are numbered, {@code
 * ACCOUNT<TAB>MILLIS<TAB>CENTS<TAB>NUMBER}. It continues from a savepoint of the first version: the
 * state {@code suspect} and the timers are those of the first version, the state {@code alerts} is
 * new and starts empty.
 */
public final class FraudAlertsV2 {
  private FraudAlertsV2() {}

  public static void main(String[] args) {
    FraudAlerts.run(args, NumberingDetector::new);
  }

  private static final class NumberingDetector extends FraudAlerts.Detector {
    private static final long serialVersionUID = 1L;

    private transient ValueState<Long> alerts;

    NumberingDetector(FraudAlerts.Limits limits) {
      super(limits);
    }

    @Override
    public void open(RuntimeContext context) {
      super.open(context);
      alerts = context.state(new ValueStateDescriptor<>("alerts"));
    }

    @Override
    String alert(FraudAlerts.Payment payment) {
      long number = alerts.value() == null ? 1 : alerts.value() + 1;
      alerts.update(number);
      return super.alert(payment) + "\t" + number;
    }
  }
}
