package io.millrace.core.config;

import io.millrace.core.MemorySize;
import java.time.Duration;
import java.util.List;

/** Options of REST. */
public final class RestOptions {
  public static final Option<String> ADDRESS =
      Option.text(
              "rest.address",
              "127.0.0.1",
              "Host under which clients reach the REST server of the JobManager.")
          .perCommand();
  public static final Option<PortRange> PORT =
      Option.ports(
              "rest.port",
              "8081",
              "Port of the JobManager's REST server; a range such as 50100-50200 binds a free port"
                  + " of it, 0 any free port.")
          .perCommand();
  public static final Option<PortRange> BIND_PORT =
      Option.ports(
          "rest.bind-port",
          "Ports to bind for REST; like rest.port by default. Clients use the bound port.");
  public static final Option<String> BIND_ADDRESS =
      Option.text("rest.bind-address", "127.0.0.1", "Address to which the REST server binds.");
  public static final Option<String> UPLOAD_DIR =
      Option.text(
          "web.upload.dir",
          "Directory for uploaded jars; a directory under io.tmp.dirs by default.");
  public static final Option<Duration> REFRESH_INTERVAL =
      Option.duration(
              "web.refresh-interval",
              "3 s",
              "Time after which a dashboard of Flink reads again what it shows. The web page of"
                  + " Millrace does not poll.")
          .atLeast("1 ms");
  public static final Option<List<String>> ALLOWED_ORIGINS =
      Option.list(
          "web.access-control-allow-origin",
          "",
          "Origins of other sites whose pages may send requests to REST, such as"
              + " https://dashboard.example.com. `*` is refused.");
  public static final Option<MemorySize> SERVER_MAX_CONTENT_LENGTH =
      Option.memory("rest.server.max-content-length", "512mb", "Maximum size of a request body.")
          .atLeast("1kb");
  public static final Option<MemorySize> UPLOAD_QUOTA =
      Option.memory(
              "rest.server.upload-quota",
              "10gb",
              "Maximum size of all uploaded jars and of all stored jars and graphs of jobs together,"
                  + " whoever has uploaded them. Further uploads are refused with status 507.")
          .atLeast("1mb");
  public static final Option<Integer> MAX_CONNECTIONS =
      Option.integer(
              "rest.server.max-connections",
              1024,
              "Maximum number of concurrent connections of the REST server; fewer if"
                  + " the process has few file descriptors. At the maximum a new connection"
                  + " replaces the oldest unauthenticated one, or is refused if there is"
                  + " none.")
          .atLeast(1);
  public static final Option<Integer> MAX_CONNECTIONS_PER_ADDRESS =
      Option.integer(
              "rest.server.max-connections-per-address",
              256,
              "Maximum number of concurrent connections of the REST server per remote"
                  + " address. All loopback addresses count as one, and so does an IPv6"
                  + " network of 64 bits.")
          .atLeast(1);
  public static final Option<Duration> FIRST_REQUEST_TIMEOUT =
      Option.duration(
              "rest.server.first-request-timeout",
              "10 s",
              "Time from the start of a connection, including the TLS handshake, to"
                  + " its first authenticated request. The REST server closes a connection"
                  + " that takes longer.")
          .atLeast("1 ms");
  public static final Option<Integer> MAX_PROGRAMS =
      Option.integer(
              "web.run.max-programs",
              4,
              "Maximum number of programs of uploaded jars that run at the same time"
                  + " (POST /jars/:jarid/run). Further requests are refused.")
          .atLeast(1);
  public static final Option<Duration> PROGRAM_TIMEOUT =
      Option.duration(
              "web.run.timeout",
              "2 min",
              "Maximum run time of the main method of an uploaded jar. The JobManager"
                  + " kills a program that takes longer; its submitted jobs continue.")
          .atLeast("1 s");
  public static final Option<Duration> UPLOAD_RETENTION =
      Option.duration(
              "rest.server.upload-retention",
              "1 h",
              "Time after which an uploaded blob is deleted if no job needs it and no"
                  + " client has requested it, for example because the client failed before"
                  + " the submission.")
          .atLeast("1 min");

  public static final Option<Boolean> FLAME_GRAPHS =
      Option.flag(
          "rest.flamegraph.enabled",
          true,
          "Whether flame graphs can be requested. Stacks are sampled only after a request.");
  public static final Option<Duration> FLAME_GRAPH_REFRESH_INTERVAL =
      Option.duration(
              "rest.flamegraph.refresh-interval",
              "10 s",
              "Time for which a flame graph is shown before the next request takes a new one.")
          .atLeast("0 ms");
  public static final Option<Duration> FLAME_GRAPH_CLEANUP_INTERVAL =
      Option.duration(
              "rest.flamegraph.cleanup-interval",
              "10 min",
              "Time after which a flame graph that nobody has requested again is forgotten.")
          .atLeast("1 s");
  public static final Option<Integer> FLAME_GRAPH_SAMPLES =
      Option.integer(
              "rest.flamegraph.num-samples", 100, "Number of samples of a flame graph per task.")
          .between(1, 10_000);
  public static final Option<Duration> FLAME_GRAPH_SAMPLE_DELAY =
      Option.duration(
              "rest.flamegraph.delay-between-samples",
              "50 ms",
              "Time between two samples of a flame graph.")
          .between("1 ms", "10 s");
  public static final Option<Integer> FLAME_GRAPH_DEPTH =
      Option.integer(
              "rest.flamegraph.stack-depth",
              100,
              "Maximum number of frames of a stack in a flame graph.")
          .between(1, 1000);

  private RestOptions() {}
}
