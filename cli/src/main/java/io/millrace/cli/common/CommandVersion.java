package io.millrace.cli.common;

import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** The version, from the manifest of this jar. */
public final class CommandVersion implements IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {
      "Millrace "
          + Optional.ofNullable(CommandVersion.class.getPackage().getImplementationVersion())
              .orElse("development")
    };
  }
}
