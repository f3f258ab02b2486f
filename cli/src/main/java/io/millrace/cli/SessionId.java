package io.millrace.cli;

import java.util.Optional;
import picocli.CommandLine.Parameters;

/** Mixed into the commands about one session. */
final class SessionId {
  @Parameters(
      arity = "0..1",
      paramLabel = "ID",
      description = "Id of the session, as `session list` shows it. Default: the current one.")
  private Optional<String> id = Optional.empty();

  Optional<String> id() {
    return id;
  }
}
