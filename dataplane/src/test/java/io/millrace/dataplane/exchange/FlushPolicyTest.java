package io.millrace.dataplane.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.ExecutionOptions;
import io.millrace.core.error.MillraceException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FlushPolicyTest {
  private static final long SECOND = 1_000_000_000L;

  private static Configuration interval(String value) {
    return Configuration.EMPTY.with(ExecutionOptions.BUFFER_TIMEOUT.key(), value);
  }

  private static Configuration never() {
    return Configuration.EMPTY.with(ExecutionOptions.BUFFER_TIMEOUT_ENABLED, false);
  }

  @Test
  void isAdaptiveByDefault() {
    FlushPolicy policy = FlushPolicy.of(Configuration.EMPTY);
    assertThat(policy).isSameAs(FlushPolicy.ADAPTIVE);
    assertThat(policy.largestBatch(512)).isEqualTo(512);
    assertThat(policy.rest(0)).isZero();
  }

  @Test
  void sendsEachRecordIfTheIntervalIsZero() {
    for (String zero : new String[] {"0", "0 ms", "0 s"}) {
      FlushPolicy policy = FlushPolicy.of(interval(zero));
      assertThat(policy.mode()).isEqualTo(FlushPolicy.Mode.EACH_RECORD);
      assertThat(policy.largestBatch(512)).isEqualTo(1);
    }
  }

  @Test
  void sendsABatchWhenItsFirstRecordHasWaitedForTheInterval() {
    FlushPolicy policy = FlushPolicy.of(interval("2 s"));
    assertThat(policy.largestBatch(512)).isEqualTo(512);
    assertThat(policy.rest(0)).isEqualTo(2 * SECOND);
    assertThat(policy.rest(SECOND)).isEqualTo(SECOND);
    assertThat(policy.rest(2 * SECOND)).isZero();
    assertThat(policy.rest(9 * SECOND)).isNegative();
  }

  @Test
  void sendsOnlyFullBatchesIfTheTimeoutIsDisabled() {
    FlushPolicy policy =
        FlushPolicy.of(never().with(ExecutionOptions.BUFFER_TIMEOUT, Duration.ofMillis(1)));
    assertThat(policy.mode()).isEqualTo(FlushPolicy.Mode.WHEN_FULL);
    assertThat(policy.rest(1000 * SECOND)).isPositive();
  }

  @Test
  void refusesAnIntervalThatIsNegativeOrNoDuration() {
    for (String wrong : new String[] {"-1", "-1 ms", "soon", "5 parsecs", ""}) {
      assertThatThrownBy(() -> FlushPolicy.of(interval(wrong)))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("execution.buffer-timeout.interval")
          .hasMessageContaining("takes at least 0 ms");
    }
    assertThatThrownBy(
            () ->
                FlushPolicy.of(
                    Configuration.EMPTY.with(
                        ExecutionOptions.BUFFER_TIMEOUT_ENABLED.key(), "maybe")))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("execution.buffer-timeout.enabled");
  }
}
