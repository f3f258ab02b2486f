package io.millrace.core.config;

import io.millrace.core.MemorySize;
import java.time.Duration;

/** The options that bound what clients of REST can take of a JobManager. */
public final class RestOptions {
  public static final Option<String> ADDRESS =
      Option.text("rest.address", "127.0.0.1", "Host at which clients reach the JobManager's REST.")
          .perCommand();
  public static final Option<Integer> PORT =
      Option.integer("rest.port", 8081, "Port of the JobManager's REST; 0 takes a free one.")
          .between(0, 65535)
          .perCommand();
  public static final Option<String> BIND_ADDRESS =
      Option.text("rest.bind-address", "127.0.0.1", "Address the REST server binds to.");
  public static final Option<String> UPLOAD_DIR =
      Option.text("web.upload.dir", "Directory for uploaded jars; under io.tmp.dirs where unset.");
  public static final Option<MemorySize> SERVER_MAX_CONTENT_LENGTH =
      Option.memory("rest.server.max-content-length", "512mb", "Largest request body REST accepts.")
          .atLeast("1kb");
  public static final Option<Integer> MAX_CONNECTIONS =
      Option.integer(
              "rest.server.max-connections",
              1024,
              "Connections that REST holds at once. It takes fewer where the process has few file"
                  + " descriptors. A further one takes the place of the oldest that has not been"
                  + " authenticated, or is refused where there is none.")
          .atLeast(1);
  public static final Option<Integer> MAX_CONNECTIONS_PER_ADDRESS =
      Option.integer(
              "rest.server.max-connections-per-address",
              256,
              "Connections that REST holds at once with one address. All loopback addresses count as"
                  + " one, and so does an IPv6 network of 64 bits.")
          .atLeast(1);
  public static final Option<Duration> FIRST_REQUEST_TIMEOUT =
      Option.duration(
              "rest.server.first-request-timeout",
              "10 s",
              "Time from the start of a connection, the TLS handshake included, to its first"
                  + " authenticated request. REST closes a connection that takes longer.")
          .atLeast("1 ms");
  public static final Option<Integer> MAX_PROGRAMS =
      Option.integer(
              "web.run.max-programs",
              4,
              "Programs of uploaded jars that run at once (POST /jars/:jarid/run). Further requests are"
                  + " refused.")
          .atLeast(1);
  public static final Option<Duration> PROGRAM_TIMEOUT =
      Option.duration(
              "web.run.timeout",
              "2 min",
              "Time that the main method of an uploaded jar may take. The JobManager kills a program"
                  + " that takes longer; jobs that it has submitted run on.")
          .atLeast("1 s");
  public static final Option<Duration> UPLOAD_RETENTION =
      Option.duration(
              "rest.server.upload-retention",
              "1 h",
              "Time after which an uploaded blob is deleted if no job needs it and no client has asked"
                  + " for it since. A client that dies between upload and submission leaves such.")
          .atLeast("1 min");

  private RestOptions() {}
}
