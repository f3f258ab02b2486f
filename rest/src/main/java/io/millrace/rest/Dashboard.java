package io.millrace.rest;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.TextStyle;
import java.util.Locale;

/** The configuration that a dashboard reads first: version, time zone and available features. */
final class Dashboard {
  private Dashboard() {}

  static JsonObject ofCluster(BuildInfo build, long now, boolean acceptsPrograms) {
    return of(build, now, acceptsPrograms, true);
  }

  static JsonObject ofHistory(BuildInfo build, long now) {
    return of(build, now, false, false);
  }

  private static JsonObject of(BuildInfo build, long now, boolean acceptsPrograms, boolean live) {
    ZoneId zone = ZoneId.systemDefault();
    int offsetMillis =
        1000 * zone.getRules().getOffset(Instant.ofEpochMilli(now)).getTotalSeconds();
    return new JsonObject()
        .put("refresh-interval", 3000)
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
