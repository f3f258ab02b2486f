package io.millrace.rest;

import io.millrace.protocol.ProcessGateway.LogFiles;
import io.millrace.protocol.ProcessGateway.LogLevels;
import io.millrace.protocol.ProcessGateway.ProcessDescription;
import io.millrace.protocol.ProcessGateway.ThreadDump;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** Processes as JSON, in the shapes of Flink's REST API. */
final class ProcessViews {
  private ProcessViews() {}

  static JsonArray configuration(ProcessDescription process) {
    return Json.array(
        process.configuration(),
        option -> new JsonObject().put("key", option.key()).put("value", option.value()));
  }

  static JsonObject environment(ProcessDescription process) {
    return new JsonObject()
        .put(
            "jvm",
            new JsonObject()
                .put("version", process.jvm())
                .put("arch", process.architecture())
                .put("options", new JsonArray(process.options())))
        .put("classpath", new JsonArray(process.classPath()));
  }

  static JsonObject logs(LogFiles logs) {
    return new JsonObject()
        .put(
            "logs",
            Json.array(
                logs.files(),
                file ->
                    new JsonObject()
                        .put("name", file.name())
                        .put("size", file.size())
                        .put("mtime", file.changedAt())));
  }

  static JsonObject levels(LogLevels levels) {
    return new JsonObject()
        .put(
            "levels",
            Json.array(
                levels.loggers(),
                logger ->
                    new JsonObject()
                        .put("logger", logger.logger())
                        .put("level", logger.level().name())));
  }

  static JsonObject threads(ThreadDump dump) {
    return new JsonObject()
        .put(
            "threadInfos",
            Json.array(
                dump.threads(),
                thread ->
                    new JsonObject()
                        .put("threadName", thread.name())
                        .put("stringifiedThreadInfo", thread.text())));
  }
}
