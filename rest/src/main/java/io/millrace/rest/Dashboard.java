package io.millrace.rest;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.TextStyle;
import java.util.Locale;

/** What a dashboard asks before anything else: the version, the time zone and what it may offer. */
final class Dashboard {
  private Dashboard() {}

  static JsonObject ofCluster(BuildInfo build, long now, boolean takesPrograms) {
    return of(build, now, takesPrograms, true);
  }

  static JsonObject ofHistory(BuildInfo build, long now) {
    return of(build, now, false, false);
  }

  private static JsonObject of(BuildInfo build, long now, boolean takesPrograms, boolean lives) {
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
                .put("web-submit", takesPrograms)
                .put("web-cancel", lives)
                .put("web-rescale", false)
                .put("web-history", !lives));
  }
}
