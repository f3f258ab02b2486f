package io.millrace.cli.session;

import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Mixed into the commands about one session. */
final class SessionIdMixin {
  @ArgGroup private Id id = new Id();

  /** Said in one way or the other. */
  static final class Id {
    @Parameters(
        arity = "0..1",
        paramLabel = "ID",
        description = "Id of the session, as `session list` shows it. Default: the current one.")
    private Optional<String> plain = Optional.empty();

    @Option(
        names = {"-yid", "--yarnapplicationId"},
        paramLabel = "ID",
        description = "The same, as other commands have it.")
    private Optional<String> named = Optional.empty();
  }

  Optional<String> id() {
    return id.plain.or(() -> id.named);
  }
}
