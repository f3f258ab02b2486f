package io.millrace.control.slotmanager;

import io.millrace.core.config.Configuration;
import io.millrace.core.config.Options;
import java.time.Duration;
import java.util.Objects;

/**
 * How a {@link SlotManager} goes about its work.
 *
 * @param startUpTime how long after the start a profile that fits nobody may still wait
 * @param spread whether slots are taken from all workers evenly instead of filling one after the
 *     other
 * @param advice what a person can do about a shortage, as a sentence
 */
public record SlotSettings(Duration startUpTime, boolean spread, String advice) {
  public SlotSettings {
    Objects.requireNonNull(startUpTime);
    Objects.requireNonNull(advice);
  }

  public static SlotSettings from(Configuration configuration, String advice) {
    Duration startUp = configuration.get(Options.STANDALONE_START_UP_TIME);
    return new SlotSettings(
        startUp.isZero() ? configuration.get(Options.SLOT_REQUEST_TIMEOUT) : startUp,
        configuration.get(Options.SPREAD_OUT),
        advice);
  }
}
