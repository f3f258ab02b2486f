package io.millrace.control.scheduler;

import io.millrace.api.sink.CommitFailedException;
import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.RestartStrategy;
import io.millrace.core.config.RestartStrategyOptions;
import io.millrace.core.error.Failure;
import io.millrace.protocol.reason.JobReason.RestartRefusal;
import io.millrace.protocol.reason.JobReason.RestartRefused;
import io.millrace.task.LostPartitionException;
import io.millrace.task.checkpoint.UnclaimedStateException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Decides whether a job restarts after a failure, and after which delay. */
final class RestartPolicy {
  private final Strategy strategy;
  private int used;

  /** Why a restart cannot help against the last failure; empty if it can. */
  private Optional<RestartRefusal> cannotHelp = Optional.empty();

  /** The rule of one {@link RestartStrategy}. */
  private interface Strategy {
    /** Counts a failure; whether the job restarts. */
    boolean another(long nanos);

    /** The delay before the restart that was allowed last. */
    Duration delay();

    RestartRefusal refusal();

    /** The number of restarts that are allowed in all or in an interval. */
    int allowed();
  }

  /**
   * @param random draws the jitter of delays
   */
  RestartPolicy(Configuration configuration, RandomGenerator random) {
    this.strategy =
        switch (strategyOf(configuration)) {
          case NONE -> new FixedDelay(0, Duration.ZERO);
          case FIXED_DELAY ->
              new FixedDelay(
                  configuration.get(RestartStrategyOptions.FIXED_DELAY_ATTEMPTS),
                  configuration.get(RestartStrategyOptions.FIXED_DELAY));
          case FAILURE_RATE -> new FailureRate(configuration);
          case EXPONENTIAL_DELAY -> new ExponentialDelay(configuration, random);
        };
  }

  private static RestartStrategy strategyOf(Configuration configuration) {
    boolean checkpoints = !configuration.get(CheckpointingOptions.INTERVAL).isZero();
    return configuration
        .find(RestartStrategyOptions.RESTART_STRATEGY)
        .orElse(checkpoints ? RestartStrategy.EXPONENTIAL_DELAY : RestartStrategy.NONE);
  }

  /**
   * Uses one restart. Returns false if none is left or a restart cannot help against this failure.
   */
  boolean another(Failure failure, long nanos) {
    cannotHelp = hopeless(failure);
    if (cannotHelp.isPresent() || !strategy.another(nanos)) {
      return false;
    }
    used++;
    return true;
  }

  private static Optional<RestartRefusal> hopeless(Failure failure) {
    if (LostPartitionException.caused(failure)) {
      // The graph contains the location of the lost partition, so another attempt would fail, too.
      return Optional.of(RestartRefusal.RESULT_LOST);
    }
    if (UnclaimedStateException.caused(failure)) {
      return Optional.of(RestartRefusal.STATE_UNCLAIMED);
    }
    return CommitFailedException.caused(failure)
        ? Optional.of(RestartRefusal.COMMIT_FAILED)
        : Optional.empty();
  }

  int used() {
    return used;
  }

  Duration delay() {
    return strategy.delay();
  }

  /** Why the job does not restart after this failure. */
  RestartRefused refusal(Failure failure) {
    RestartRefusal refusal = cannotHelp.orElseGet(strategy::refusal);
    return new RestartRefused(failure.message(), refusal, strategy.allowed());
  }

  private static final class FixedDelay implements Strategy {
    private final int allowed;
    private final Duration delay;
    private int used;

    FixedDelay(int allowed, Duration delay) {
      this.allowed = allowed;
      this.delay = delay;
    }

    @Override
    public boolean another(long nanos) {
      if (used >= allowed) {
        return false;
      }
      used++;
      return true;
    }

    @Override
    public Duration delay() {
      return delay;
    }

    @Override
    public RestartRefusal refusal() {
      return allowed == 0 ? RestartRefusal.NO_STRATEGY : RestartRefusal.ATTEMPTS_USED;
    }

    @Override
    public int allowed() {
      return allowed;
    }
  }

  private static final class FailureRate implements Strategy {
    private final int allowed;
    private final long intervalNanos;
    private final Duration delay;

    /** The times of the restarts in the interval, oldest first. */
    private final Deque<Long> restarts = new ArrayDeque<>();

    FailureRate(Configuration configuration) {
      this.allowed = configuration.get(RestartStrategyOptions.FAILURE_RATE_MAX_FAILURES);
      this.intervalNanos =
          configuration.get(RestartStrategyOptions.FAILURE_RATE_INTERVAL).toNanos();
      this.delay = configuration.get(RestartStrategyOptions.FAILURE_RATE_DELAY);
    }

    @Override
    public boolean another(long nanos) {
      while (!restarts.isEmpty() && nanos - restarts.peekFirst() > intervalNanos) {
        restarts.removeFirst();
      }
      if (restarts.size() >= allowed) {
        return false;
      }
      restarts.addLast(nanos);
      return true;
    }

    @Override
    public Duration delay() {
      return delay;
    }

    @Override
    public RestartRefusal refusal() {
      return RestartRefusal.RATE_EXCEEDED;
    }

    @Override
    public int allowed() {
      return allowed;
    }
  }

  private static final class ExponentialDelay implements Strategy {
    private final double initial;
    private final double longest;
    private final double multiplier;
    private final double jitter;
    private final long resetNanos;
    private final int allowed;
    private final RandomGenerator random;
    private double backoff;
    private Duration delay = Duration.ZERO;

    /** Restarts since the last reset. */
    private int used;

    private long lastFailure;

    ExponentialDelay(Configuration configuration, RandomGenerator random) {
      this.initial =
          configuration.get(RestartStrategyOptions.EXPONENTIAL_INITIAL_BACKOFF).toNanos();
      this.longest =
          Math.max(
              initial,
              (double) configuration.get(RestartStrategyOptions.EXPONENTIAL_MAX_BACKOFF).toNanos());
      this.multiplier = configuration.get(RestartStrategyOptions.EXPONENTIAL_MULTIPLIER);
      this.jitter = configuration.get(RestartStrategyOptions.EXPONENTIAL_JITTER);
      this.resetNanos =
          configuration.get(RestartStrategyOptions.EXPONENTIAL_RESET_THRESHOLD).toNanos();
      this.allowed = configuration.get(RestartStrategyOptions.EXPONENTIAL_ATTEMPTS);
      this.random = random;
    }

    @Override
    public boolean another(long nanos) {
      // The delay is part of the time between two failures in which the job does not run.
      if (used > 0 && nanos - lastFailure > resetNanos + delay.toNanos()) {
        used = 0;
      }
      lastFailure = nanos;
      if (used >= allowed) {
        return false;
      }
      backoff = used == 0 ? initial : Math.min(longest, backoff * multiplier);
      used++;
      double spread = backoff * jitter * (2 * random.nextDouble() - 1);
      delay = Duration.ofNanos((long) Math.min(longest, Math.max(0, backoff + spread)));
      return true;
    }

    @Override
    public Duration delay() {
      return delay;
    }

    @Override
    public RestartRefusal refusal() {
      return RestartRefusal.BACKOFF_ATTEMPTS_USED;
    }

    @Override
    public int allowed() {
      return allowed;
    }
  }
}
