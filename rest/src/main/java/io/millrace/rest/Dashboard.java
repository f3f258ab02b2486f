package io.millrace.rest;

import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.TextStyle;
import java.util.Locale;

/** The configuration that a dashboard reads first: version, time zone and available features. */
final class Dashboard {
  private Dashboard() {}

  static JsonObject ofCluster(
      BuildInfo build, long now, boolean acceptsPrograms, Duration refreshInterval) {
    return of(build, now, acceptsPrograms, true, refreshInterval);
  }

  static JsonObject ofHistory(BuildInfo build, long now) {
    return of(build, now, false, false, WebSettings.DEFAULT.refreshInterval());
  }

  private static JsonObject of(
      BuildInfo build, long now, boolean acceptsPrograms, boolean live, Duration refreshInterval) {
    ZoneId zone = ZoneId.systemDefault();
    int offsetMillis =
        1000 * zone.getRules().getOffset(Instant.ofEpochMilli(now)).getTotalSeconds();
    return new JsonObject()
        .put("refresh-interval", refreshInterval.toMillis())
        .put("timezone-name", zone.getDisplayName(TextStyle.FULL, Locale.ROOT))
        .put("timezone-offset", offsetMillis)
        .put("flink-version", build.version())
        .put("flink-revision", build.commit() + " @ " + build.time())
        .put(
            "features",
            new JsonObject()
                .put("web-submit", acceptsPrograms)
                .put("web-cancel", live)
                .put("web-rescale", false)
                .put("web-history", !live));
  }
}
