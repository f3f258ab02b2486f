package io.millrace.api.window;

/**
 * Windows that the program computes itself. They fire at their end unless another trigger is set.
 * Windows that merge are sessions, for which {@link EventTimeSessionWindows} has a dynamic gap.
 *
 * <pre>{@code
 * // A window from the timestamp to the end of its day in this time zone.
 * ZoneId zone = ZoneId.of("Europe/Zurich");
 * WindowAssigner days =
 *     CustomWindows.ofEventTime(
 *         (String order, long timestamp) -> {
 *           LocalDate day = Instant.ofEpochMilli(timestamp).atZone(zone).toLocalDate();
 *           return List.of(
 *               new TimeWindow(
 *                   day.atStartOfDay(zone).toInstant().toEpochMilli(),
 *                   day.plusDays(1).atStartOfDay(zone).toInstant().toEpochMilli()));
 *         });
 * }</pre>
 */
public final class CustomWindows {
  private CustomWindows() {}

  public static <T> WindowAssigner ofEventTime(WindowSelector<T> selector) {
    return WindowAssigner.Custom.of(selector, true);
  }

  public static <T> WindowAssigner ofProcessingTime(WindowSelector<T> selector) {
    return WindowAssigner.Custom.of(selector, false);
  }
}
