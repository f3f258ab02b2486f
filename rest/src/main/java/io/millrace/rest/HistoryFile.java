package io.millrace.rest;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystem;
import io.millrace.core.id.JobId;
import io.millrace.graph.JobType;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a file of an ended job holds. Anybody may have written it: it has a bounded size, says
 * nothing about other jobs, and a line about its own that clients understand.
 *
 * @param overview the line about the job
 * @param pages the answers about the job by their paths, without the prefix {@code /v1}
 */
record HistoryFile(JsonObject overview, Map<String, String> pages) {
  static final int MAX_BYTES = 64 << 20;

  private static final String OVERVIEW = "/jobs/overview";

  static HistoryFile read(FileSystem files, FileStatus file, JobId job) throws IOException {
    if (file.length() > MAX_BYTES) {
      throw new IOException("it has more than " + MAX_BYTES + " bytes");
    }
    byte[] content;
    try (InputStream in = files.open(file.path(), 0)) {
      content = in.readNBytes(MAX_BYTES + 1);
    }
    if (content.length > MAX_BYTES) {
      throw new IOException("it grew while it was read");
    }
    return parse(job, content);
  }

  static HistoryFile parse(JobId job, byte[] content) throws IOException {
    JsonObject overview = null;
    Map<String, String> pages = new LinkedHashMap<>();
    String own = "/jobs/" + job;
    for (Object entry : array(decode(content), "archive")) {
      if (entry instanceof JsonObject page
          && page.getValue("path") instanceof String path
          && page.getValue("json") instanceof String json) {
        if (path.equals(OVERVIEW)) {
          overview = line(job, json);
        } else if (path.equals(own) || path.startsWith(own + "/")) {
          pages.put(path, json);
        }
      }
    }
    if (overview == null) {
      throw new IOException("it has no line about job " + job);
    }
    return new HistoryFile(overview, pages);
  }

  long endedAt() {
    return overview.getLong("end-time");
  }

  private static JsonObject line(JobId job, String json) throws IOException {
    for (Object each : array(decode(Buffer.buffer(json).getBytes()), "jobs")) {
      if (each instanceof JsonObject line && job.toString().equals(line.getValue("jid"))) {
        check(line);
        return line;
      }
    }
    throw new IOException("its overview does not tell of job " + job);
  }

  /** Clients read all lines, so that one that they do not understand would hide the others. */
  private static void check(JsonObject line) throws IOException {
    try {
      JobStatus.valueOf(String.valueOf(line.getValue("state")));
      JobType.valueOf(String.valueOf(line.getValue("jobType", JobType.STREAMING.name())));
    } catch (IllegalArgumentException e) {
      throw new IOException("its overview has a state or a type that there is not", e);
    }
    for (String key : new String[] {"start-time", "end-time", "last-modification", "duration"}) {
      if (!(line.getValue(key) instanceof Number)) {
        throw new IOException("its overview lacks the number '" + key + "'");
      }
    }
    if (!(line.getValue("name") instanceof String)
        || !(line.getValue("tasks") instanceof JsonObject)) {
      throw new IOException("its overview lacks a name or the numbers of tasks");
    }
  }

  private static JsonArray array(JsonObject json, String key) throws IOException {
    if (json.getValue(key) instanceof JsonArray array) {
      return array;
    }
    throw new IOException("it lacks the list '" + key + "'");
  }

  private static JsonObject decode(byte[] json) throws IOException {
    try {
      return Json.decode(Buffer.buffer(json));
    } catch (RestError e) {
      throw new IOException("it is not a JSON object", e);
    }
  }
}
