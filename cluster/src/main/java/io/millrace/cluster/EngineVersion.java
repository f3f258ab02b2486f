package io.millrace.cluster;

/** The version of this engine, from the manifest of its jar. */
final class EngineVersion {
  static final String CURRENT =
      java.util.Optional.ofNullable(EngineVersion.class.getPackage().getImplementationVersion())
          .orElse("development");

  private EngineVersion() {}
}
