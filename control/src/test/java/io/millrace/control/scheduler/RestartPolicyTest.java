package io.millrace.control.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.Failure;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.reason.JobReason.RestartRefusal;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RestartPolicyTest {
  private static final Failure FAILURE = Failure.of(ErrorKind.USER, "broken");
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private Configuration configuration = Configuration.EMPTY;

  private RestartPolicyTest set(String key, String value) {
    configuration = configuration.with(key, value);
    return this;
  }

  private RestartPolicy policy() {
    return new RestartPolicy(configuration, new Random(1));
  }

  @Test
  void jobWithoutCheckpointsDoesNotRestartByDefault() {
    RestartPolicy policy = policy();
    assertThat(policy.another(FAILURE, 0)).isFalse();
    assertThat(policy.refusal(FAILURE).refusal()).isEqualTo(RestartRefusal.NO_STRATEGY);
  }

  @Test
  @Behaviour("E4: a job with checkpoints restarts with exponential delay by default")
  void jobWithCheckpointsRestartsWithGrowingDelayByDefault() {
    set(CheckpointingOptions.INTERVAL.key(), "1 s")
        .set(RestartStrategyOptions.EXPONENTIAL_JITTER.key(), "0");
    RestartPolicy policy = policy();
    long now = 0;
    double expected = 1000;
    for (int i = 0; i < 20; i++) {
      assertThat(policy.another(FAILURE, now)).isTrue();
      assertThat(policy.delay().toMillis()).isEqualTo((long) Math.min(60_000, expected));
      expected *= 1.5;
      now += policy.delay().toNanos() + SECOND;
    }
    assertThat(policy.used()).isEqualTo(20);
  }

  @Test
  void configuredStrategyWinsOverTheDefault() {
    set(CheckpointingOptions.INTERVAL.key(), "1 s")
        .set(RestartStrategyOptions.RESTART_STRATEGY.key(), "none");
    assertThat(policy().another(FAILURE, 0)).isFalse();
  }

  @Test
  void fixedDelayAllowsTheConfiguredNumberOfRestarts() {
    set("restart-strategy.type", "fixed-delay")
        .set("restart-strategy.fixed-delay.attempts", "2")
        .set("restart-strategy.fixed-delay.delay", "3 s");
    RestartPolicy policy = policy();
    assertThat(policy.another(FAILURE, 0)).isTrue();
    assertThat(policy.delay()).isEqualTo(Duration.ofSeconds(3));
    assertThat(policy.another(FAILURE, 0)).isTrue();
    assertThat(policy.another(FAILURE, 1000 * SECOND)).isFalse();
    assertThat(policy.refusal(FAILURE).refusal()).isEqualTo(RestartRefusal.ATTEMPTS_USED);
    assertThat(policy.used()).isEqualTo(2);
  }

  @Test
  void failureRateForgetsRestartsOutsideOfTheInterval() {
    set("restart-strategy.type", "failure-rate")
        .set("restart-strategy.failure-rate.max-failures-per-interval", "2")
        .set("restart-strategy.failure-rate.failure-rate-interval", "10 s")
        .set("restart-strategy.failure-rate.delay", "1 s");
    RestartPolicy policy = policy();
    assertThat(policy.another(FAILURE, 0)).isTrue();
    assertThat(policy.another(FAILURE, 5 * SECOND)).isTrue();
    assertThat(policy.another(FAILURE, 11 * SECOND)).isTrue();
    assertThat(policy.another(FAILURE, 14 * SECOND)).isFalse();
    assertThat(policy.refusal(FAILURE).refusal()).isEqualTo(RestartRefusal.RATE_EXCEEDED);
    assertThat(policy.refusal(FAILURE).allowed()).isEqualTo(2);
  }

  @Test
  void exponentialDelayIsResetAfterALongRun() {
    set("restart-strategy.type", "exponential-delay")
        .set("restart-strategy.exponential-delay.jitter-factor", "0")
        .set("restart-strategy.exponential-delay.reset-backoff-threshold", "1 min");
    RestartPolicy policy = policy();
    policy.another(FAILURE, 0);
    policy.another(FAILURE, 10 * SECOND);
    assertThat(policy.delay()).isEqualTo(Duration.ofMillis(1500));
    policy.another(FAILURE, 10 * SECOND + 61 * SECOND);
    assertThat(policy.delay()).as("not yet reset").isEqualTo(Duration.ofMillis(2250));
    policy.another(FAILURE, 71 * SECOND + 63 * SECOND);
    assertThat(policy.delay()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void exponentialDelayAllowsTheConfiguredAttemptsBetweenResets() {
    set("restart-strategy.type", "exponential-delay")
        .set("restart-strategy.exponential-delay.attempts-before-reset-backoff", "2");
    RestartPolicy policy = policy();
    assertThat(policy.another(FAILURE, 0)).isTrue();
    assertThat(policy.another(FAILURE, SECOND)).isTrue();
    assertThat(policy.another(FAILURE, 2 * SECOND)).isFalse();
    assertThat(policy.refusal(FAILURE).refusal()).isEqualTo(RestartRefusal.BACKOFF_ATTEMPTS_USED);
  }

  @Test
  void jitterStaysWithinItsFraction() {
    set("restart-strategy.type", "exponential-delay")
        .set("restart-strategy.exponential-delay.backoff-multiplier", "1")
        .set("restart-strategy.exponential-delay.jitter-factor", "0.2");
    RestartPolicy policy = policy();
    long least = Long.MAX_VALUE;
    long most = 0;
    for (int i = 0; i < 1000; i++) {
      policy.another(FAILURE, i);
      least = Math.min(least, policy.delay().toMillis());
      most = Math.max(most, policy.delay().toMillis());
    }
    assertThat(least).isBetween(800L, 850L);
    assertThat(most).isBetween(1150L, 1200L);
  }
}
